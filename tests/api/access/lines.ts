import {
  byRole,
  DONE,
  type Entry,
  everyone,
  memberAction,
  NO_ID,
  naming,
  ofWorkspace,
  pageAt,
  pathOfOne,
  REFUSED,
} from "./entry";

const AT = "dashboard/phone-numbers";

const itself = naming("phoneNumberId");
const managers = byRole(DONE, DONE, REFUSED);

/** What would change the line that other rows need asks for one that does not exist. */
const nobodys = { phoneNumberId: NO_ID("pn") };
const notFound = byRole(404, 404, REFUSED);

const SIGNED_UP = { code: "AQB1", whatsappBusinessAccountId: "1000000001", whatsappPhoneNumberId: "2000000001" };

/** All of them are on the page of a line. */
const onLine = (name: string, call: Parameters<typeof memberAction>[2], expected: Entry["expected"]): Entry =>
  memberAction(name, AT, call, expected, { path: pathOfOne(AT, "phoneNumberId") });

export const LINES: Entry[] = [
  pageAt(`${AT}/new`),
  pageAt("dashboard/webhooks"),
  pageAt("dashboard/get-started"),
  // None of these comes from a page of ours; tests/api/phone-numbers/connect-line.test.ts has those that do.
  ofWorkspace("POST", "phone-numbers/checks", everyone(403), "", {}),
  onLine("connectLine", { label: "Shop" }, byRole(REFUSED, REFUSED, REFUSED)),
  // Off without META_APP_ID; tests/api/phone-numbers/sign-up-line.test.ts has a deployment where it is on.
  onLine("connectSignedUpLine", SIGNED_UP, notFound),
  onLine("addSandboxLine", { label: "Test" }, managers),
  onLine("renameLine", naming("phoneNumberId", { label: "Line main" }), managers),
  onLine("resumeLine", itself, managers),
  onLine("makeDefaultLine", itself, managers),
  onLine("subscribeLineApp", itself, managers),
  onLine("runLineCheck", itself, managers),
  onLine("pauseLine", nobodys, notFound),
  onLine("removeLine", nobodys, notFound),
  onLine("replaceLineToken", { ...nobodys, accessToken: "EAA1" }, notFound),
  memberAction("createTestSetup", AT, {}, managers, { path: "/dashboard/get-started" }),
  memberAction("runWebhookCheck", AT, {}, managers, { path: "/dashboard/webhooks" }),
];
