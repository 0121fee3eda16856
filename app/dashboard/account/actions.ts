"use server";

import { revalidatePath } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { chooseMailedAlerts } from "@/lib/alerts/change-alert-settings";
import { NewPassword, PersonName } from "@/lib/auth/account-fields";
import { memberAction, userAction, visitorAction } from "@/lib/auth/action";
import { countedAttempt, countedMail } from "@/lib/auth/attempts";
import { changePassword, renameUser } from "@/lib/auth/change-account";
import { choiceCookie, SHORTCUTS_COOKIE, THEME_COOKIE, THEMES } from "@/lib/auth/choice-cookies";
import { mailConfirmation } from "@/lib/auth/confirm-email";
import { FRESH_SIGN_IN_MINUTES, isFreshSignIn } from "@/lib/auth/credential-limits";
import type { SignedIn } from "@/lib/auth/member";
import { hashPassword, passwordMatches } from "@/lib/auth/password";
import { findPasswordHash } from "@/lib/auth/user-queries";
import { type Visitor, visitorOf } from "@/lib/auth/visitor";
import { clearSessionCookie, setSessionCookie } from "@/lib/auth/visitor-session";
import { AppError, invalid } from "@/lib/core/app-error";
import { sendsMail } from "@/lib/mail/queue-mail";
import { endEverySession, endOwnSession } from "@/lib/sessions/change-sessions";
import { ALERT_GROUP_NAMES } from "@/lib/workspaces/alert-kinds";

const PATH = "/dashboard/account";

export const rename = userAction({ input: z.object({ name: PersonName }) }, async ({ user }, { name }) => {
  await renameUser(user.userId, name);
  revalidatePath("/dashboard", "layout");
});

export const setPassword = userAction(
  { input: z.object({ current: z.string().max(1_000).default(""), password: NewPassword }) },
  async ({ user }, { current, password }) => {
    const visitor = visitorOf(await headers());
    const checkedHash = await findPasswordHash(user.userId);
    if (checkedHash === null) refuseStaleSignIn(user.signedInAt);
    else await checkPassword(user, visitor, { current, checkedHash });
    const passwordHash = await hashPassword(password, visitor.address);
    await setSessionCookie(await changePassword(user, { checkedHash, passwordHash }, visitor), user.email);
    revalidatePath(PATH);
  },
);

/** Without a password to ask for, the sign-in is the proof: a stolen cookie must not become one that lasts. */
function refuseStaleSignIn(signedInAt: Date): void {
  if (isFreshSignIn(signedInAt, new Date())) return;
  throw new AppError(
    "FORBIDDEN",
    `Your sign-in is more than ${FRESH_SIGN_IN_MINUTES} minutes old: sign out and in again, then set a password.`,
    { details: { retryable: false } },
  );
}

/**
 * Guesses count as sign-ins do, by themselves for each session: strangers who fail to sign in must not keep the owner from
 * changing the password.
 */
async function checkPassword(
  { email, sessionId }: SignedIn,
  { address }: Visitor,
  { current, checkedHash }: { current: string; checkedHash: string },
): Promise<void> {
  const attempt = { email, address, knownBrowser: sessionId };
  const isRight = await countedAttempt(attempt, async () =>
    (await passwordMatches(current, checkedHash, address)) ? true : null,
  );
  if (!isRight) throw invalid([{ path: "current", message: "Wrong password." }]);
}

export const endSession = userAction(
  { input: z.object({ sessionId: z.string().regex(/^ses_\w{1,40}$/, "This is not the id of a session.") }) },
  async ({ user }, { sessionId }) => {
    await endOwnSession(user.userId, sessionId);
    if (sessionId !== user.sessionId) return revalidatePath(PATH);
    await clearSessionCookie();
    redirect("/sign-in");
  },
);

export const signOutEverywhere = userAction(
  { input: z.object({ sessions: z.enum(["others", "all"]) }) },
  async ({ user }, { sessions }) => {
    await endEverySession(user.userId, sessions === "others" ? user.sessionId : undefined);
    if (sessions === "others") return revalidatePath(PATH);
    await clearSessionCookie();
    redirect("/sign-in");
  },
);

export const chooseAppearance = visitorAction(
  { input: z.object({ theme: z.enum(THEMES), shortcuts: z.enum(["on", "off"]) }) },
  async ({ theme, shortcuts }) => {
    const jar = await cookies();
    jar.set(THEME_COOKIE, theme, choiceCookie());
    jar.set(SHORTCUTS_COOKIE, shortcuts, choiceCookie());
    revalidatePath("/", "layout");
  },
);

/** Several boxes arrive as a list, one as a text, none not at all. */
const Groups = z
  .union([z.enum(ALERT_GROUP_NAMES).transform((one) => [one]), z.array(z.enum(ALERT_GROUP_NAMES))])
  .default([]);

export const chooseAlerts = memberAction(
  { may: "seeWorkspace", input: z.object({ groups: Groups }), refreshes: "/dashboard/account" },
  ({ member: { workspaceId, userId } }, { groups }) => chooseMailedAlerts(workspaceId, { userId, groups }),
);

export const sendConfirmation = userAction({ input: z.object({}) }, ({ user }) => {
  if (!sendsMail()) throw new AppError("NOT_FOUND", "This server sends no e-mail.");
  return countedMail("confirmation", user.userId, () => mailConfirmation(user));
});
