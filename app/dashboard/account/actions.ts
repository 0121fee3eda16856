"use server";

import { revalidatePath } from "next/cache";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { z } from "zod";
import { userAction, visitorAction } from "@/lib/auth/action";
import { choiceCookie, SHORTCUTS_COOKIE, THEME_COOKIE, THEMES } from "@/lib/auth/choice-cookies";
import { FRESH_SIGN_IN_MINUTES, isFreshSignIn } from "@/lib/auth/fresh-sign-in";
import { knownBrowserId } from "@/lib/auth/known-browser";
import { closeSession, openSession } from "@/lib/auth/open-session";
import { hashPassword, passwordMatches } from "@/lib/auth/password";
import { epochSeconds } from "@/lib/auth/session-token";
import { countedAttempt } from "@/lib/auth/sign-in-attempts";
import { AppError, invalid } from "@/lib/errors";
import { callerAddress } from "@/lib/public-api/caller-address";
import { NewPassword, PersonName } from "@/lib/users/account-fields";
import { changePassword, endSessions, renameUser } from "@/lib/users/change-account";
import { findPasswordHash } from "@/lib/users/queries";

export const rename = userAction({ input: z.object({ name: PersonName }) }, async ({ user }, { name }) => {
  await renameUser(user.userId, name);
  revalidatePath("/dashboard", "layout");
});

export const setPassword = userAction(
  { input: z.object({ current: z.string().max(1_000).default(""), password: NewPassword }) },
  async ({ user }, { current, password }) => {
    const held = await findPasswordHash(user.userId);
    if (held === null) refuseStaleSignIn(user.signedInAt);
    else await checkPassword(user.email, current, held);
    await openSession(await changePassword(user, await hashPassword(password)));
  },
);

/** Without a password to ask for, the sign-in is the proof: a stolen cookie must not become one that lasts. */
const refuseStaleSignIn = (signedInAt: number): void => {
  if (isFreshSignIn(signedInAt, epochSeconds())) return;
  throw new AppError(
    "FORBIDDEN",
    `Your sign-in is more than ${FRESH_SIGN_IN_MINUTES} minutes old: sign out and in again, then set a password.`,
    { details: { retryable: false } },
  );
};

/** Guesses count as sign-ins do: an open browser is no way around their limit. */
const checkPassword = async (email: string, current: string, held: string): Promise<void> => {
  const given = await headers();
  const knownBrowser = knownBrowserId(given.get("cookie"), email);
  const attempt = { email, address: callerAddress(given), knownBrowser };
  const isRight = await countedAttempt(attempt, async () => ((await passwordMatches(current, held)) ? true : null));
  if (!isRight) throw invalid([{ path: "current", message: "This is not your password." }]);
};

export const signOutEverywhere = userAction({ input: z.object({ sessions: z.literal("all") }) }, async ({ user }) => {
  await endSessions(user);
  await closeSession();
  redirect("/sign-in");
});

export const chooseAppearance = visitorAction(
  { input: z.object({ theme: z.enum(THEMES), shortcuts: z.enum(["on", "off"]) }) },
  async ({ theme, shortcuts }) => {
    const jar = await cookies();
    jar.set(THEME_COOKIE, theme, choiceCookie());
    jar.set(SHORTCUTS_COOKIE, shortcuts, choiceCookie());
    revalidatePath("/", "layout");
  },
);
