import { cookies, headers } from "next/headers";
import { encode } from "next-auth/jwt";
import { env } from "@/lib/core/env";
import { endSession } from "@/lib/sessions/end-sessions";
import { openSession, SESSION_SECONDS } from "@/lib/sessions/open-session";
import { WORKSPACE_COOKIE } from "./choice-cookies";
import { authCookie, readSessionId } from "./session-token";
import { visitorOf } from "./visitor";

/** Signs the visitor of an action in, as next-auth would: after making an account there is no need to type it again. */
export async function signVisitorIn(userId: string): Promise<void> {
  const visitor = visitorOf(await headers());
  const replaces = await readSessionId(visitor.cookieHeader);
  const sessionId = await openSession({ userId, visitor, replaces });
  if (sessionId) await setSessionCookie(sessionId);
}

/** Gives this browser the cookie of an open session. */
export async function setSessionCookie(sessionId: string): Promise<void> {
  const { name, options } = authCookie("session-token");
  const token = await encode({ token: { sessionId }, secret: env().NEXTAUTH_SECRET, maxAge: SESSION_SECONDS });
  (await cookies()).set(name, token, { ...options, maxAge: SESSION_SECONDS });
}

/** Ends the session of this browser, wherever its cookie was copied to. Other sessions of the account stay. */
export async function signVisitorOut(): Promise<void> {
  const sessionId = await readSessionId((await headers()).get("cookie"));
  if (sessionId) await endSession(sessionId);
  await clearSessionCookie();
}

/** In this browser, where the session has ended already. */
export async function clearSessionCookie(): Promise<void> {
  const jar = await cookies();
  const { name, options } = authCookie("session-token");
  jar.set(name, "", { ...options, maxAge: 0 });
  jar.delete(WORKSPACE_COOKIE);
}
