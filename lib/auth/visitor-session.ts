import { cookies, headers } from "next/headers";
import { encode } from "next-auth/jwt";
import { env } from "@/lib/core/env";
import { endSession, openSession, SESSION_SECONDS } from "@/lib/sessions/change-sessions";
import { WORKSPACE_COOKIE } from "./choice-cookies";
import { authCookie, readSessionId } from "./session-token";
import { visitorOf } from "./visitor";

/** Signs a visitor in from an action, as next-auth would, for example right after creating an account. */
export async function signVisitorIn(userId: string): Promise<void> {
  const visitor = visitorOf(await headers());
  const replaces = await readSessionId(visitor.cookieHeader);
  const sessionId = await openSession({ userId, visitor, replaces });
  if (sessionId) await setSessionCookie(sessionId);
}

/** Sets the session cookie in this browser. */
export async function setSessionCookie(sessionId: string): Promise<void> {
  const { name, options } = authCookie("session-token");
  const token = await encode({ token: { sessionId }, secret: env().NEXTAUTH_SECRET, maxAge: SESSION_SECONDS });
  (await cookies()).set(name, token, { ...options, maxAge: SESSION_SECONDS });
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
