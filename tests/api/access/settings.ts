import {
  ASKS,
  byRole,
  DONE,
  type Entry,
  memberAction,
  NO_ID,
  ofWorkspace,
  pageAt,
  pageOfOne,
  pathOfOne,
  people,
  REFUSED,
  signedIn,
} from "./entry";

const KEYS = "dashboard/settings/api-keys";
const managers = byRole(DONE, DONE, REFUSED);
const notFound = byRole(404, 404, REFUSED);

const path = pathOfOne(KEYS, "keyId");
const absentId = "pk_live_0000000000000000000000";
const NO_KEY = { apiKey: absentId };

/** On the page of a key, whose own fields name it. */
const onKey = (name: string, fields: Record<string, string | string[]>): Entry =>
  memberAction(name, KEYS, ({ apiKey }, id = apiKey) => ({ apiKey: id, ...fields }), managers, {
    path: (target) => path(target),
    absentId,
  });

export const SETTINGS: Entry[] = [
  pageAt(KEYS, { ...signedIn(200), member: ASKS }),
  pageOfOne(KEYS, "keyId", NO_ID("key"), { ...signedIn(200, 404), member: `307 /${KEYS}` }),
  pageAt("dashboard/settings/audit-log", { ...signedIn(200), member: ASKS }),
  pageAt("dashboard/settings/plan"),
  ofWorkspace("GET", "audit-log", { ...people(200, 404, 401), member: 403 }),
  memberAction("createApiKey", KEYS, { label: "made", mode: "test", permissions: "send" }, managers),
  memberAction("startTrial", "docs", {}, byRole(DONE, DONE, DONE), { path: "/docs/reference" }),
  onKey("renameApiKey", { label: "renamed" }),
  onKey("changeKeyLimits", { permissions: ["send", "status", "templates"], monthlyCap: "100000" }),
  // Keys that the other rows still use are neither rotated nor revoked: what is tried here is who may.
  memberAction("rotateApiKey", KEYS, { ...NO_KEY, overlap: "1h" }, notFound, { path }),
  memberAction("revokeApiKey", KEYS, NO_KEY, notFound, { path }),
  memberAction("changeMonthlyLimit", "dashboard/settings", { messageLimit: "" }, byRole(DONE, REFUSED, REFUSED)),
];
