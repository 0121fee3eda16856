import { decode, type JWT, type JWTDecodeParams } from "next-auth/jwt";
import { z } from "zod";
import { env } from "@/lib/core/env";

/** Returns the session id in the cookie. Whether it is still open is checked in the database: see member.ts. */
export async function readSessionId(cookieHeader: string | null): Promise<string | undefined> {
  const token = cookieValue(cookieHeader ?? "", authCookie("session-token").name);
  if (!token) return undefined;
  // A forged, damaged or expired token counts as no session.
  return sessionIdIn(await decodeToken({ token }).catch(() => null));
}

/** Secrets of cookies, the one in use first: a rotation of NEXTAUTH_SECRET ends no session. */
export function cookieSecrets(): string[] {
  const { NEXTAUTH_SECRET, NEXTAUTH_SECRET_PREVIOUS } = env();
  return [NEXTAUTH_SECRET, ...(NEXTAUTH_SECRET_PREVIOUS ? [NEXTAUTH_SECRET_PREVIOUS] : [])];
}

/** Returns a token's claims under any of the secrets. Rejects as next-auth's own does. */
export async function decodeToken(given: Omit<JWTDecodeParams, "secret">): Promise<JWT | null> {
  const [current = "", previous] = cookieSecrets();
  const claims = decode({ ...given, secret: current });
  return previous ? claims.catch(() => decode({ ...given, secret: previous })) : claims;
}

/** Returns the session id in a token's claims. */
export function sessionIdIn(claims: unknown): string | undefined {
  return Claims.safeParse(claims).data?.sessionId;
}

const Claims = z.object({ sessionId: z.string() });

const AUTH_COOKIES = ["session-token", "callback-url", "csrf-token", "pkce.code_verifier", "state", "nonce"] as const;

/**
 * Returns a next-auth cookie's name and attributes. Browsers accept `__Host-` names from this https host only, so
 * that no other host of the domain can plant a session.
 */
export function authCookie(name: (typeof AUTH_COOKIES)[number]) {
  const secure = usesSecureCookies();
  return {
    name: `${secure ? "__Host-" : ""}next-auth.${name}`,
    options: { httpOnly: true, sameSite: "lax" as const, path: "/", secure },
  };
}

export function usesSecureCookies(): boolean {
  return env().APP_URL.startsWith("https://");
}

export function cookieValue(cookieHeader: string, name: string): string | undefined {
  return cookieHeader
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
