import { cookies, headers } from "next/headers";
import { encode } from "next-auth/jwt";
import { env } from "@/lib/core/env";
import { endSession, type OpenedSession, openSession } from "@/lib/sessions/change-sessions";
import { SESSION_SECONDS } from "@/lib/sessions/record-action";
import { WORKSPACE_COOKIE } from "./choice-cookies";
import { knownBrowserCookie } from "./options";
import { authCookie, readSessionId } from "./session-token";
import { visitorOf } from "./visitor";

/** Signs a visitor in from an action, as next-auth would, for example right after creating an account. */
export async function signVisitorIn({ userId, email }: { userId: string; email: string }): Promise<void> {
  const visitor = visitorOf(await headers());
  const replaces = await readSessionId(visitor.cookieHeader);
  const opened = await openSession({ userId, visitor, replaces });
  if (opened) await setSessionCookie(opened, email);
}

/** Sets the session cookie in this browser, which is from then on known to the account unless a code is due. */
export async function setSessionCookie({ id: sessionId, isCodeDue }: OpenedSession, email: string): Promise<void> {
  const { name, options } = authCookie("session-token");
  const token = await encode({ token: { sessionId }, secret: env().NEXTAUTH_SECRET, maxAge: SESSION_SECONDS });
  const jar = await cookies();
  jar.set(name, token, { ...options, maxAge: SESSION_SECONDS });
  if (isCodeDue) return;
  const known = knownBrowserCookie(email);
  jar.set(known.name, known.value, known.options);
}

/** Ends this browser's session, including copies of its cookie. Other sessions of the account stay. */
export async function signVisitorOut(): Promise<void> {
  const sessionId = await readSessionId((await headers()).get("cookie"));
  if (sessionId) await endSession(sessionId);
  await clearSessionCookie();
}

/** Clears the cookie of a session that has already ended. */
export async function clearSessionCookie(): Promise<void> {
  const jar = await cookies();
  const { name, options } = authCookie("session-token");
  jar.set(name, "", { ...options, maxAge: 0 });
  jar.delete(WORKSPACE_COOKIE);
}
