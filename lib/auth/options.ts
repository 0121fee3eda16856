import type { NextAuthOptions } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import { z } from "zod";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { log } from "@/lib/core/log";
import { endSession } from "@/lib/sessions/end-sessions";
import { openSession, SESSION_SECONDS } from "@/lib/sessions/open-session";
import { findSessionEnd } from "@/lib/sessions/queries";
import { findUserByEmail } from "@/lib/workspaces/queries";
import { callbackPath } from "./callback-path";
import { knownBrowserCookie, knownBrowserId } from "./known-browser";
import { passwordMatches } from "./password";
import { authCookie, readSessionId, sessionIdIn, usesSecureCookies } from "./session-token";
import { countedAttempt } from "./sign-in-attempts";
import type { Visitor } from "./visitor";

/** What next-auth keeps to itself: what it would turn into a redirect, and a cookie for after a success. */
export type Outcome = { failure?: unknown; knownBrowserCookie?: string };

export function authOptions(visitor: Visitor, outcome: Outcome): NextAuthOptions {
  const reported = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      outcome.failure = error;
      throw error;
    }
  };
  return {
    secret: env().NEXTAUTH_SECRET,
    session: { strategy: "jwt", maxAge: SESSION_SECONDS },
    useSecureCookies: usesSecureCookies(),
    cookies: {
      sessionToken: authCookie("session-token"),
      callbackUrl: authCookie("callback-url"),
      csrfToken: authCookie("csrf-token"),
      pkceCodeVerifier: authCookie("pkce.code_verifier"),
      state: authCookie("state"),
      nonce: authCookie("nonce"),
    },
    pages: { signIn: "/sign-in", error: "/sign-in", verifyRequest: "/sign-in", signOut: "/dashboard" },
    providers: [
      Credentials({
        credentials: { email: {}, password: {} },
        authorize: (input) => reported(authorize(input, visitor, outcome)),
      }),
      ...configuredProviders(),
    ],
    callbacks: {
      redirect: ({ url }) => `${env().APP_URL}${callbackPath(url, env().APP_URL)}`,
      // An identity from elsewhere stands for a user that exists; it never makes one.
      signIn: async ({ user, account }) =>
        account?.type === "credentials" ||
        Boolean(user.email && (await reported(findUserByEmail(user.email)))?.isEmailVouched),
      jwt: async ({ token, user: identity }) => {
        if (identity)
          return { sessionId: sessionIdIn(identity) ?? (await reported(signInAs(identity.email, visitor))) };
        const sessionId = sessionIdIn(token);
        const endsAt = sessionId && (await reported(findSessionEnd(sessionId)));
        // next-auth then clears the cookie instead of giving it new hours.
        if (!endsAt) throw new Error("This session has ended.");
        return { sessionId, endsAt: endsAt.toISOString() };
      },
      session: ({ token }) => ({ expires: String(token.endsAt) }),
    },
    events: {
      signOut: async ({ token }) => {
        const sessionId = sessionIdIn(token);
        if (sessionId) await reported(endSession(sessionId));
      },
    },
    // Its codes only: the rest of next-auth's lines may quote a person's address.
    logger: {
      error: (code) => {
        log("warn", "next-auth", { code });
        if (code === "INVALID_CALLBACK_URL_ERROR") outcome.failure = callbackRefusal();
      },
      warn: (code) => log("debug", "next-auth", { code }),
      debug: () => {},
    },
  };
}

/** A callback that no address can be read from comes in the query or in a cookie, which the browser then forgets. */
const callbackRefusal = (): AppError => {
  const { name, options } = authCookie("callback-url");
  return new AppError("VALIDATION_ERROR", "`callbackUrl` is not an address of this site.", {
    details: { field: "callbackUrl", retryable: false },
    headers: { "Set-Cookie": `${name}=; Path=/; Max-Age=0${options.secure ? "; Secure" : ""}` },
  });
};

/** The sign-in buttons beside e-mail and password. */
export function configuredProviderIds(): ("google" | "github")[] {
  return [...(env().GOOGLE_ID ? (["google"] as const) : []), ...(env().GITHUB_ID ? (["github"] as const) : [])];
}

// No address holds a control character, and the database could not even look for one with a NUL.
const email = z
  .string()
  .max(320)
  .refine((text) => !/\p{Cc}/u.test(text));
const Input = z.object({ email, password: z.string().max(1_000) });

const authorize = async (input: unknown, visitor: Visitor, outcome: Outcome) => {
  const { data } = Input.safeParse(input);
  if (!data) return null;
  const { address, cookieHeader } = visitor;
  const knownBrowser = knownBrowserId(cookieHeader, data.email);
  return countedAttempt({ email: data.email, address, knownBrowser }, async () => {
    const user = await findUserByEmail(data.email);
    const matches = await passwordMatches(data.password, user?.passwordHash, address);
    if (!user || !matches) return null;
    const sessionId = await openFor(user, visitor);
    // The password was changed while it was checked.
    if (!sessionId) return null;
    outcome.knownBrowserCookie = knownBrowserCookie(data.email, knownBrowser);
    return { id: user.id, email: data.email, sessionId };
  });
};

/** A session for the address that a provider has verified; undefined where no account has it. */
const signInAs = async (address: string | null | undefined, visitor: Visitor): Promise<string | undefined> => {
  const user = address ? await findUserByEmail(address) : undefined;
  return user && openFor(user, visitor);
};

const openFor = async ({ id, passwordHash }: { id: string; passwordHash: string | null }, visitor: Visitor) =>
  openSession({ userId: id, visitor, passwordHash, replaces: await readSessionId(visitor.cookieHeader) });

/** Both hand over an e-mail address only where the provider has verified it. */
const configuredProviders = (): NextAuthOptions["providers"] => {
  const { GOOGLE_ID, GOOGLE_SECRET, GITHUB_ID, GITHUB_SECRET } = env();
  const google =
    GOOGLE_ID &&
    GOOGLE_SECRET &&
    Google({
      clientId: GOOGLE_ID,
      clientSecret: GOOGLE_SECRET,
      profile: ({ sub, email, email_verified }) => ({ id: sub, email: email_verified ? email : null }),
    });
  const gitHub =
    GITHUB_ID &&
    GITHUB_SECRET &&
    GitHub({
      clientId: GITHUB_ID,
      clientSecret: GITHUB_SECRET,
      profile: async ({ id }, { access_token }) => ({
        id: String(id),
        email: await verifiedGitHubEmail(access_token ?? ""),
      }),
    });
  return [...(google ? [google] : []), ...(gitHub ? [gitHub] : [])];
};

const GitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** GitHub's profile does not say whether its address was verified; this list does. */
const verifiedGitHubEmail = async (accessToken: string): Promise<string | null> => {
  const response = await fetch("https://api.github.com/user/emails", {
    headers: { authorization: `Bearer ${accessToken}`, accept: "application/vnd.github+json" },
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) return null;
  const emails = GitHubEmails.safeParse(await response.json()).data ?? [];
  return emails.find(({ primary, verified }) => primary && verified)?.email ?? null;
};
