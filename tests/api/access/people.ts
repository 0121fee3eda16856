import { anyUser, byRole, DONE, type Entry, everyone, memberAction, NO_ID, page, REFUSED, signedIn } from "./entry";

const MEMBERS = "dashboard/settings/members";
const ACCOUNT = "dashboard/account";
const NOBODY = { userId: NO_ID("usr") };
const NO_TOKEN = { token: "A".repeat(43) };
const NEW_ACCOUNT = {
  name: "Nina New",
  email: "nina@example.test",
  password: "a long sentence",
  workspaceName: "New",
};

/** An action beside the dashboard, on the path of a page that has it. */
const actionAt = (path: Entry["path"], ...[name, at, call, expected]: Parameters<typeof memberAction>): Entry => ({
  ...memberAction(name, at, call, expected),
  path,
});

const invitePath: Entry["path"] = ({ invitationToken }) => `/invite/${invitationToken}`;

export const PEOPLE: Entry[] = [
  // There are users, and strangers may not sign up: both are not there.
  page("set-up/", () => "/set-up", everyone(404)),
  page("sign-up/", () => "/sign-up", everyone(404)),
  actionAt(
    () => "/set-up",
    "setUp",
    "sign-up",
    () => ({ ...NEW_ACCOUNT, token: "of another deployment" }),
    everyone(404),
  ),
  actionAt(
    () => "/sign-up",
    "signUp",
    "sign-up",
    () => NEW_ACCOUNT,
    everyone(404),
  ),

  page("invite/[token]/", invitePath, everyone(200)),
  actionAt(invitePath, "join", "invite/[token]", () => NO_TOKEN, anyUser(REFUSED)),
  actionAt(invitePath, "joinAsNewUser", "invite/[token]", () => ({ ...NEW_ACCOUNT, ...NO_TOKEN }), everyone(REFUSED)),

  page("reset-password/", () => "/reset-password", everyone(200)),
  actionAt(
    () => "/reset-password",
    "readResetLink",
    "reset-password",
    () => NO_TOKEN,
    everyone(REFUSED),
  ),
  actionAt(
    () => "/reset-password",
    "setNewPassword",
    "reset-password",
    () => ({ ...NO_TOKEN, password: "a long sentence" }),
    everyone(REFUSED),
  ),

  // This deployment sends no e-mail.
  page("forgot-password/", () => "/forgot-password", everyone(404)),
  actionAt(
    () => "/forgot-password",
    "askForReset",
    "forgot-password",
    () => ({ email: "nina@example.test" }),
    everyone(404),
  ),
  page("confirm-email/", () => "/confirm-email", everyone(200)),
  actionAt(
    () => "/confirm-email",
    "confirm",
    "confirm-email",
    () => NO_TOKEN,
    everyone(REFUSED),
  ),

  page("workspaces/new/", () => "/workspaces/new", signedIn(200)),
  actionAt(
    () => "/workspaces/new",
    "createOwnWorkspace",
    "workspaces/new",
    () => ({ name: "" }),
    anyUser(REFUSED),
  ),

  page(`${MEMBERS}/`, () => `/${MEMBERS}`, signedIn(200)),
  memberAction("invite", MEMBERS, () => ({ role: "member", email: "", days: "1" }), byRole(DONE, DONE, REFUSED)),
  memberAction("revoke", MEMBERS, () => ({ invitationId: NO_ID("inv") }), byRole(404, 404, REFUSED)),
  memberAction("createResetLink", MEMBERS, () => NOBODY, byRole(404, REFUSED, REFUSED)),
  memberAction("setRole", MEMBERS, () => ({ ...NOBODY, role: "member" }), byRole(404, 404, REFUSED)),
  memberAction("remove", MEMBERS, () => NOBODY, byRole(404, 404, REFUSED)),
  // Who leaves is missing in the rows after this one, so what is tried here is a stranger's attempt only.
  memberAction("leave", MEMBERS, () => ({ workspaceId: NO_ID("ws") }), anyUser(404)),

  page("dashboard/settings/", () => "/dashboard/settings", signedIn(200)),
  memberAction(
    "saveWorkspace",
    "dashboard/settings",
    () => ({ name: "Renamed", timeZone: "Europe/Berlin", retentionDays: "" }),
    byRole(DONE, DONE, REFUSED),
  ),
  memberAction(
    "saveStopWords",
    "dashboard/settings",
    () => ({ stopWords: "", startWords: "" }),
    byRole(DONE, DONE, REFUSED),
  ),
  memberAction(
    "removeWorkspace",
    "dashboard/settings",
    () => ({ name: "not its name" }),
    byRole(REFUSED, REFUSED, REFUSED),
  ),

  page(`${ACCOUNT}/`, () => `/${ACCOUNT}`, signedIn(200)),
  memberAction("rename", ACCOUNT, () => ({ name: "" }), anyUser(REFUSED)),
  memberAction("setPassword", ACCOUNT, () => ({ current: "x", password: "short" }), anyUser(REFUSED)),
  memberAction("endSession", ACCOUNT, () => ({ sessionId: NO_ID("ses") }), anyUser(DONE)),
  memberAction("signOutEverywhere", ACCOUNT, () => ({ sessions: "none" }), anyUser(REFUSED)),
  memberAction("chooseAlerts", ACCOUNT, () => ({ groups: "lines" }), byRole(DONE, DONE, DONE)),
  memberAction("sendConfirmation", ACCOUNT, () => ({}), anyUser(404)),
  page("dashboard/alerts/", () => "/dashboard/alerts", signedIn(200)),
  memberAction("chooseAppearance", ACCOUNT, () => ({ theme: "light", shortcuts: "on" }), everyone(DONE)),
];
