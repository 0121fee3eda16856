import { cookies } from "next/headers";
import { encode } from "next-auth/jwt";
import { env } from "@/lib/env";
import { WORKSPACE_COOKIE } from "./choice-cookies";
import { epochSeconds, SESSION_SECONDS, type Session, sessionCookieName, usesSecureCookies } from "./session-token";

/** Signs the visitor of an action in, as next-auth would: who has just made an account need not type it again. */
export const openSession = async ({ userId, sessionVersion }: Omit<Session, "signedInAt">): Promise<void> => {
  const token = await encode({
    token: { userId, sessionVersion, signedInAt: epochSeconds() },
    secret: env().NEXTAUTH_SECRET,
    maxAge: SESSION_SECONDS,
  });
  (await cookies()).set(sessionCookieName(), token, {
    ...{ path: "/", httpOnly: true, sameSite: "lax", secure: usesSecureCookies() },
    maxAge: SESSION_SECONDS,
  });
};

/** In this browser; other sessions of the account stay. */
export const closeSession = async (): Promise<void> => {
  const jar = await cookies();
  jar.delete({ name: sessionCookieName(), path: "/", secure: usesSecureCookies() });
  jar.delete(WORKSPACE_COOKIE);
};
