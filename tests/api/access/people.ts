import { anyUser, byRole, DONE, type Entry, everyone, memberAction, NO_ID, page, pageAt, REFUSED } from "./entry";

const MEMBERS = "dashboard/settings/members";
const SETTINGS = "dashboard/settings";
const ACCOUNT = "dashboard/account";
const NOBODY = { userId: NO_ID("usr") };
const NO_TOKEN = { token: "A".repeat(43) };
const NEW_ACCOUNT = {
  name: "Nina New",
  email: "nina@example.test",
  password: "a long sentence",
  workspaceName: "New",
};

const managers = byRole(DONE, DONE, REFUSED);
const notFound = byRole(404, 404, REFUSED);
/** The path of a page that has the action. */
const onInvitation = { path: ({ invitationToken }: { invitationToken: string }) => `/invite/${invitationToken}` };

export const PEOPLE: Entry[] = [
  // There are users, and strangers may not sign up: both are not there.
  pageAt("set-up", everyone(404)),
  pageAt("sign-up", everyone(404)),
  memberAction("setUp", "sign-up", { ...NEW_ACCOUNT, token: "of another deployment" }, everyone(404), {
    path: "/set-up",
  }),
  memberAction("signUp", "sign-up", NEW_ACCOUNT, everyone(404)),

  page("invite/[token]/", onInvitation.path, everyone(200)),
  memberAction("join", "invite/[token]", NO_TOKEN, anyUser(REFUSED), onInvitation),
  memberAction("joinAsNewUser", "invite/[token]", { ...NEW_ACCOUNT, ...NO_TOKEN }, everyone(REFUSED), onInvitation),

  pageAt("reset-password", everyone(200)),
  memberAction("readResetLink", "reset-password", NO_TOKEN, everyone(REFUSED)),
  memberAction("setNewPassword", "reset-password", { ...NO_TOKEN, password: "a long sentence" }, everyone(REFUSED)),

  // This deployment sends no e-mail.
  pageAt("forgot-password", everyone(404)),
  memberAction("askForReset", "forgot-password", { email: "nina@example.test" }, everyone(404)),
  pageAt("confirm-email", everyone(200)),
  memberAction("confirm", "confirm-email", NO_TOKEN, everyone(REFUSED)),

  pageAt("second-factor"),
  memberAction("turnOn", "second-factor", { sealed: "v1.0.x", code: "000000", current: "not it" }, anyUser(REFUSED)),

  pageAt("workspaces/new"),
  memberAction("createOwnWorkspace", "workspaces/new", { name: "" }, anyUser(REFUSED)),

  pageAt(MEMBERS),
  memberAction("invite", MEMBERS, { role: "member", email: "", days: "1" }, managers),
  memberAction("revoke", MEMBERS, { invitationId: NO_ID("inv") }, notFound),
  memberAction("createResetLink", MEMBERS, NOBODY, byRole(404, REFUSED, REFUSED)),
  memberAction("removeSecondFactor", MEMBERS, NOBODY, byRole(404, REFUSED, REFUSED)),
  memberAction("requireSecondFactor", MEMBERS, {}, byRole(DONE, REFUSED, REFUSED)),
  memberAction("setRole", MEMBERS, { ...NOBODY, role: "member" }, notFound),
  memberAction("remove", MEMBERS, NOBODY, notFound),
  // Who leaves is missing in the rows after this one, so what is tried here is a stranger's attempt only.
  memberAction("leave", MEMBERS, { workspaceId: NO_ID("ws") }, anyUser(404)),

  pageAt(SETTINGS),
  memberAction("saveWorkspace", SETTINGS, { name: "Renamed", timeZone: "Europe/Berlin", retentionDays: "" }, managers),
  memberAction("saveStopWords", SETTINGS, { stopWords: "", startWords: "" }, managers),
  memberAction("removeWorkspace", SETTINGS, { name: "not its name" }, byRole(REFUSED, REFUSED, REFUSED)),

  pageAt(ACCOUNT),
  memberAction("rename", ACCOUNT, { name: "" }, anyUser(REFUSED)),
  memberAction("setPassword", ACCOUNT, { current: "x", password: "short" }, anyUser(REFUSED)),
  memberAction("turnOffSecondFactor", ACCOUNT, { code: "000000" }, anyUser(REFUSED)),
  memberAction("createRecoveryCodes", ACCOUNT, { code: "000000" }, anyUser(REFUSED)),
  memberAction("endSession", ACCOUNT, { sessionId: NO_ID("ses") }, anyUser(DONE)),
  memberAction("signOutEverywhere", ACCOUNT, { sessions: "none" }, anyUser(REFUSED)),
  memberAction("chooseAlerts", ACCOUNT, { groups: "lines" }, byRole(DONE, DONE, DONE)),
  memberAction("sendConfirmation", ACCOUNT, {}, anyUser(404)),
  pageAt("dashboard/alerts"),
  memberAction("chooseAppearance", ACCOUNT, { theme: "light", shortcuts: "on" }, everyone(DONE)),
];
