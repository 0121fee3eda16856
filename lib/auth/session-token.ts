import { decode } from "next-auth/jwt";
import { z } from "zod";
import { env } from "@/lib/core/env";

/** The session that the cookie names. Only the database can say whether it is still open: see member.ts. */
export async function readSessionId(cookieHeader: string | null): Promise<string | undefined> {
  const token = cookieValue(cookieHeader ?? "", authCookie("session-token").name);
  if (!token) return undefined;
  // A forged, damaged or expired token is no session, like none at all.
  const claims = await decode({ token, secret: env().NEXTAUTH_SECRET }).catch(() => null);
  return sessionIdIn(claims);
}

/** The session that the claims of a token name. */
export function sessionIdIn(claims: unknown): string | undefined {
  return Claims.safeParse(claims).data?.sessionId;
}

const Claims = z.object({ sessionId: z.string() });

const AUTH_COOKIES = ["session-token", "callback-url", "csrf-token", "pkce.code_verifier", "state", "nonce"] as const;

/**
 * Name and attributes of a cookie of next-auth's. On https a browser takes `__Host-` names from this very host only, so
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
