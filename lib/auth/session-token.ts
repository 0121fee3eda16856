import { decode } from "next-auth/jwt";
import { z } from "zod";
import { env } from "@/lib/env";

/** What the session cookie says. Only the database can say whether it still holds: see member.ts. */
export type Session = { userId: string; sessionVersion: number; signedInAt: number };

/** How long a session lasts, however often it is used. */
export const SESSION_SECONDS = 8 * 60 * 60;

export const readSession = async (cookieHeader: string | null): Promise<Session | undefined> => {
  const token = cookieValue(cookieHeader ?? "", sessionCookieName());
  if (!token) return undefined;
  // A forged, damaged or expired token is no session, like none at all.
  const claims = await decode({ token, secret: env().NEXTAUTH_SECRET }).catch(() => null);
  const session = Claims.safeParse(claims).data;
  // The library gives a cookie new hours wherever it reads one: whoever has stolen it would keep it for good.
  return session && session.signedInAt + SESSION_SECONDS > epochSeconds() ? session : undefined;
};

export const epochSeconds = (): number => Math.floor(Date.now() / 1_000);

export const sessionCookieName = (): string =>
  usesSecureCookies() ? "__Secure-next-auth.session-token" : "next-auth.session-token";

export const usesSecureCookies = (): boolean => env().APP_URL.startsWith("https://");

const Claims = z.object({ userId: z.string(), sessionVersion: z.int(), signedInAt: z.int() });

export const cookieValue = (cookieHeader: string, name: string): string | undefined =>
  cookieHeader
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
