"use server";

import { revalidatePath } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { chooseMailedAlerts } from "@/lib/alerts/change-alert-settings";
import { NewPassword, PersonName } from "@/lib/auth/account-fields";
import { memberAction, userAction, visitorAction } from "@/lib/auth/action";
import { countedMail } from "@/lib/auth/attempts";
import { changePassword, renameUser } from "@/lib/auth/change-account";
import { replaceRecoveryCodes, turnOffFactor } from "@/lib/auth/change-second-factor";
import { choiceCookie, SHORTCUTS_COOKIE, THEME_COOKIE, THEMES } from "@/lib/auth/choice-cookies";
import { mailConfirmation } from "@/lib/auth/confirm-email";
import type { SignedIn } from "@/lib/auth/member";
import { hashPassword } from "@/lib/auth/password";
import { provePerson, withCode } from "@/lib/auth/prove-person";
import { visitorOf } from "@/lib/auth/visitor";
import { clearSessionCookie, setSessionCookie } from "@/lib/auth/visitor-session";
import { AppError } from "@/lib/core/app-error";
import { sendsMail } from "@/lib/mail/queue-mail";
import { endEverySession, endOwnSession } from "@/lib/sessions/change-sessions";
import { ALERT_GROUP_NAMES } from "@/lib/workspaces/alert-kinds";
import type { Author } from "@/lib/workspaces/record-audit";

const PATH = "/dashboard/account";

export const rename = userAction({ input: z.object({ name: PersonName }) }, async ({ user }, { name }) => {
  await renameUser(user.userId, name);
  revalidatePath("/dashboard", "layout");
});

export const setPassword = userAction(
  { input: z.object({ current: z.string().max(1_000).default(""), password: NewPassword }) },
  async ({ user }, { current, password }) => {
    const visitor = visitorOf(await headers());
    const checkedHash = await provePerson(user, visitor, { password: current, purpose: "set a password" });
    const passwordHash = await hashPassword(password, visitor.address);
    await setSessionCookie(await changePassword(user, { checkedHash, passwordHash }, visitor), user.email);
    revalidatePath(PATH);
  },
);

const Code = z.object({ code: z.string().trim().min(1, "Type a code.").max(100) });

/** Who acts on the second factor of their account, and from where. */
async function actingOn(user: SignedIn, { requestId }: Author) {
  return { ...user, visitor: visitorOf(await headers()), requestId: requestId ?? "" };
}

export const turnOffSecondFactor = userAction({ input: Code }, async ({ user, by }, { code }) => {
  const acting = await actingOn(user, by);
  await setSessionCookie(await withCode(user, acting.visitor, () => turnOffFactor(acting, code)), user.email);
  revalidatePath(PATH);
});

// The codes travel once, in the answer. The page behind them is read again when their dialog is closed.
export const createRecoveryCodes = userAction({ input: Code }, async ({ user, by }, { code }) => {
  const acting = await actingOn(user, by);
  return { codes: await withCode(user, acting.visitor, () => replaceRecoveryCodes(acting, code)) };
});

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
