import {
  api,
  byRole,
  DONE,
  type Entry,
  everyone,
  memberAction,
  NO_ID,
  page,
  REFUSED,
  signedIn,
  type Target,
} from "./entry";

const AT = "dashboard/phone-numbers";
const CHECKS = "/api/v1/workspaces/{workspaceId}/phone-numbers/checks";

const itself = ({ phoneNumberId }: Target) => ({ phoneNumberId });
/** What would change the line that other rows need asks for one that does not exist. */
const nobodys = () => ({ phoneNumberId: NO_ID("pn") });

const SIGNED_UP = { code: "AQB1", whatsappBusinessAccountId: "1000000001", whatsappPhoneNumberId: "2000000001" };

/** All of them are on the page of a line. */
const onLine = (...row: [name: string, call: NonNullable<Entry["call"]>, expected: Entry["expected"]]): Entry => {
  const [name, call, expected] = row;
  const path = ({ phoneNumberId }: Target) => `/${AT}/${phoneNumberId}`;
  return { ...memberAction(name, AT, call, expected), path };
};

export const LINES: Entry[] = [
  page("dashboard/phone-numbers/new/", () => "/dashboard/phone-numbers/new", signedIn(200)),
  page("dashboard/webhooks/", () => "/dashboard/webhooks", signedIn(200)),
  page("dashboard/get-started/", () => "/dashboard/get-started", signedIn(200)),
  // None of these comes from a page of ours; tests/api/phone-numbers/connect-line.test.ts has those that do.
  api("POST", CHECKS, ({ workspaceId }) => `/api/v1/workspaces/${workspaceId}/phone-numbers/checks`, everyone(403)),
  onLine("connectLine", () => ({ label: "Shop" }), byRole(REFUSED, REFUSED, REFUSED)),
  // Off without META_APP_ID; tests/api/phone-numbers/sign-up-line.test.ts has a deployment where it is on.
  onLine("connectSignedUpLine", () => SIGNED_UP, byRole(404, 404, REFUSED)),
  onLine("addSandboxLine", () => ({ label: "Test" }), byRole(DONE, DONE, REFUSED)),
  onLine("renameLine", (target) => ({ ...itself(target), label: "Line main" }), byRole(DONE, DONE, REFUSED)),
  onLine("resumeLine", itself, byRole(DONE, DONE, REFUSED)),
  onLine("makeDefaultLine", itself, byRole(DONE, DONE, REFUSED)),
  onLine("subscribeLineApp", itself, byRole(DONE, DONE, REFUSED)),
  onLine("runLineCheck", itself, byRole(DONE, DONE, REFUSED)),
  onLine("pauseLine", nobodys, byRole(404, 404, REFUSED)),
  onLine("removeLine", nobodys, byRole(404, 404, REFUSED)),
  onLine("replaceLineToken", () => ({ ...nobodys(), accessToken: "EAA1" }), byRole(404, 404, REFUSED)),
  {
    ...memberAction("createTestSetup", AT, () => ({}), byRole(DONE, DONE, REFUSED)),
    path: () => "/dashboard/get-started",
  },
  {
    ...memberAction("runWebhookCheck", AT, () => ({}), byRole(DONE, DONE, REFUSED)),
    path: () => "/dashboard/webhooks",
  },
];
