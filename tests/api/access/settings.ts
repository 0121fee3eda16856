import {
  ASKS,
  api,
  byRole,
  DONE,
  type Entry,
  memberAction,
  NO_ID,
  page,
  people,
  REFUSED,
  signedIn,
  type Target,
} from "./entry";

const KEYS = "dashboard/settings/api-keys";
const NO_KEY = "pk_live_0000000000000000000000";

/** On the page of a key. */
const onKey = (
  name: string,
  call: NonNullable<Entry["call"]>,
  expected: Entry["expected"],
  absentId?: string,
): Entry => ({
  ...memberAction(name, KEYS, call, expected, absentId),
  path: ({ keyId }: Target) => `/${KEYS}/${keyId}`,
});

export const SETTINGS: Entry[] = [
  page(`${KEYS}/`, () => `/${KEYS}`, { ...signedIn(200), member: ASKS }),
  page(
    `${KEYS}/[keyId]/`,
    ({ keyId }, id = keyId) => `/${KEYS}/${id}`,
    { ...signedIn(200, 404), member: `307 /${KEYS}` },
    NO_ID("key"),
  ),
  page("dashboard/settings/audit-log/", () => "/dashboard/settings/audit-log", { ...signedIn(200), member: ASKS }),
  page("dashboard/settings/plan/", () => "/dashboard/settings/plan", signedIn(200)),
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/audit-log",
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/audit-log`,
    { ...people(200, 404, 401), member: 403 },
    { absentId: NO_ID("ws") },
  ),
  memberAction(
    "createApiKey",
    KEYS,
    () => ({ label: "made", mode: "test", permissions: "send" }),
    byRole(DONE, DONE, REFUSED),
  ),
  { ...memberAction("startTrial", "docs", () => ({}), byRole(DONE, DONE, DONE)), path: () => "/docs/reference" },
  onKey(
    "renameApiKey",
    ({ apiKey }, id = apiKey) => ({ apiKey: id, label: "renamed" }),
    byRole(DONE, DONE, REFUSED),
    NO_KEY,
  ),
  onKey(
    "changeKeyLimits",
    ({ apiKey }, id = apiKey) => ({ apiKey: id, permissions: ["send", "status", "templates"], monthlyCap: "100000" }),
    byRole(DONE, DONE, REFUSED),
    NO_KEY,
  ),
  // Keys that the other rows still use are neither rotated nor revoked: what is tried here is who may.
  onKey("rotateApiKey", () => ({ apiKey: NO_KEY, overlap: "1h" }), byRole(404, 404, REFUSED)),
  onKey("revokeApiKey", () => ({ apiKey: NO_KEY }), byRole(404, 404, REFUSED)),
  memberAction(
    "changeMonthlyLimit",
    "dashboard/settings",
    () => ({ messageLimit: "" }),
    byRole(DONE, REFUSED, REFUSED),
  ),
];
