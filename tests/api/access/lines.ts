import {
  api,
  byRole,
  DONE,
  type Entry,
  everybody,
  memberAction,
  NO_ID,
  page,
  REFUSED,
  signedIn,
  type Target,
} from "./entry";

const AT = "dashboard/phone-numbers";
const CHECKS = "v1/workspaces/[workspaceId]/phone-numbers/checks";

const itself = ({ phoneNumberId }: Target) => ({ phoneNumberId });
/** What would change the line that other rows need asks for one that nobody has. */
const nobodys = () => ({ phoneNumberId: NO_ID("pn") });

export const LINES: Entry[] = [
  page("dashboard/phone-numbers/new/", () => "/dashboard/phone-numbers/new", signedIn(200)),
  page("dashboard/webhooks/", () => "/dashboard/webhooks", signedIn(200)),
  page("dashboard/get-started/", () => "/dashboard/get-started", signedIn(200)),
  // None of these comes from a page of ours; tests/api/connect-line.test.ts has those that do.
  api("POST", CHECKS, ({ workspaceId }) => `/api/v1/workspaces/${workspaceId}/phone-numbers/checks`, everybody(403)),
  memberAction("connectLine", AT, () => ({ label: "Shop" }), byRole(REFUSED, REFUSED, REFUSED)),
  memberAction("addSandboxLine", AT, () => ({ label: "Test" }), byRole(DONE, DONE, REFUSED)),
  memberAction("renameLine", AT, (target) => ({ ...itself(target), label: "Line main" }), byRole(DONE, DONE, REFUSED)),
  memberAction("resumeLine", AT, itself, byRole(DONE, DONE, REFUSED)),
  memberAction("makeDefaultLine", AT, itself, byRole(DONE, DONE, REFUSED)),
  memberAction("subscribeLineApp", AT, itself, byRole(DONE, DONE, REFUSED)),
  memberAction("runLineCheck", AT, itself, byRole(DONE, DONE, REFUSED)),
  memberAction("pauseLine", AT, nobodys, byRole(404, 404, REFUSED)),
  memberAction("removeLine", AT, nobodys, byRole(404, 404, REFUSED)),
  memberAction("replaceLineToken", AT, () => ({ ...nobodys(), accessToken: "EAA1" }), byRole(404, 404, REFUSED)),
  memberAction("runWebhookCheck", "dashboard/webhooks", () => ({}), byRole(DONE, DONE, REFUSED)),
];
