import { createHmac, randomBytes } from "node:crypto";
import type { NextAuthOptions } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import GitHub from "next-auth/providers/github";
import Google from "next-auth/providers/google";
import { z } from "zod";
import { noteNewDevice } from "@/lib/alerts/note-sign-in";
import { AppError } from "@/lib/core/app-error";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import { fetchHost, hostLookup } from "@/lib/core/host-lookup";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import { endSession, type OpenedSession, openSession } from "@/lib/sessions/change-sessions";
import { findSessionEnd } from "@/lib/sessions/queries";
import { SESSION_SECONDS } from "@/lib/sessions/record-action";
import { findUserByEmail } from "@/lib/workspaces/queries";
import { accountDigest, countedAttempt } from "./attempts";
import { findCodeDue, passFactor, signInOver, WRONG_CODE } from "./change-second-factor";
import { noteConfirmedEmail } from "./confirm-email";
import { callbackPath } from "./own-origin";
import { passwordMatches } from "./password";
import {
  authCookie,
  cookieSecrets,
  cookieValue,
  decodeToken,
  readSessionId,
  sessionIdIn,
  usesSecureCookies,
} from "./session-token";
import type { Visitor } from "./visitor";

/** Results of next-auth's callbacks: an error that it would turn into a redirect, and a cookie to set on success. */
export type Outcome = {
  failure?: unknown;
  knownBrowserCookie?: string;
  /** The session opens nothing until the code of the second factor is given. */
  isCodeDue?: boolean;
};

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
    jwt: { decode: decodeToken },
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
        credentials: { email: {}, password: {}, code: {} },
        authorize: (input) => reported(authorize(input, visitor, outcome)),
      }),
      ...configuredProviders(),
    ],
    callbacks: {
      redirect: ({ url }) => `${env().APP_URL}${callbackPath(url, env().APP_URL)}`,
      // A provider identity must match an existing user; it never creates one.
      signIn: async ({ user, account }) =>
        account?.type === "credentials" ||
        Boolean(user.email && (await reported(findUserByEmail(user.email)))?.isEmailVouched),
      jwt: async ({ token, user: identity }) => {
        if (identity)
          return { sessionId: sessionIdIn(identity) ?? (await reported(signInAs(identity.email, visitor, outcome))) };
        const sessionId = sessionIdIn(token);
        const endsAt = sessionId && (await reported(findSessionEnd(sessionId)));
        // next-auth then clears the cookie instead of extending it.
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
    // Log only the code: next-auth's messages may contain email addresses.
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

/** The error for an invalid callback URL in the query or in a cookie; also clears the cookie. */
function callbackRefusal(): AppError {
  const { name, options } = authCookie("callback-url");
  return new AppError("VALIDATION_ERROR", "`callbackUrl` is not an address of this site.", {
    details: { field: "callbackUrl", retryable: false },
    headers: { "Set-Cookie": `${name}=; Path=/; Max-Age=0${options.secure ? "; Secure" : ""}` },
  });
}

/** The sign-in buttons beside e-mail and password. */
export function configuredProviderIds(): ("google" | "github")[] {
  return [...(env().GOOGLE_ID ? (["google"] as const) : []), ...(env().GITHUB_ID ? (["github"] as const) : [])];
}

// No address has control characters, and Postgres rejects a NUL.
const email = z
  .string()
  .max(320)
  .refine((text) => !/\p{Cc}/u.test(text));
const Input = z.object({ email, password: z.string().max(1_000) });
const CodeInput = z.object({ code: z.string().min(1).max(100) });

/** The second step of a sign-in whose first one has left the cookie of a session that a code opens. */
async function authorizeCode(code: string, visitor: Visitor, outcome: Outcome) {
  const dueId = await readSessionId(visitor.cookieHeader);
  const person = await findCodeDue(dueId);
  if (!dueId || !person) throw signInOver();
  const knownBrowser = knownBrowserId(visitor.cookieHeader, person.email);
  const attempt = { of: "code", email: person.email, address: visitor.address, knownBrowser } as const;
  const requestId = newId("req");
  const sessionId = await countedAttempt(attempt, () => passFactor(dueId, code, { visitor, requestId }));
  if (!sessionId) throw new AppError("UNAUTHORIZED", WRONG_CODE);
  await noteSignIn(person, visitor, outcome);
  return { id: person.userId, email: person.email, sessionId };
}

async function authorize(input: unknown, visitor: Visitor, outcome: Outcome) {
  const step = CodeInput.safeParse(input).data;
  if (step) return authorizeCode(step.code, visitor, outcome);
  const { data } = Input.safeParse(input);
  if (!data) return null;
  const { address, cookieHeader } = visitor;
  const knownBrowser = knownBrowserId(cookieHeader, data.email);
  return countedAttempt({ email: data.email, address, knownBrowser }, async () => {
    const user = await findUserByEmail(data.email);
    const matches = await passwordMatches(data.password, user?.passwordHash, address);
    if (!user || !matches) return null;
    const opened = await openFor(user, visitor);
    // The password was changed while it was checked.
    if (!opened) return null;
    await noteOpened(opened, { userId: user.id, email: data.email }, visitor, outcome);
    return { id: user.id, email: data.email, sessionId: opened.id };
  });
}

/** Opens a session for an email address that a provider verified; undefined if no account has it. */
async function signInAs(
  address: string | null | undefined,
  visitor: Visitor,
  outcome: Outcome,
): Promise<string | undefined> {
  const user = address ? await findUserByEmail(address) : undefined;
  if (!user || !address) return undefined;
  const opened = await openFor(user, visitor);
  if (!opened) return undefined;
  const person = { userId: user.id, email: address.trim().toLowerCase() };
  await noteConfirmedEmail(person);
  await noteOpened(opened, person, visitor, outcome);
  return opened.id;
}

type Person = { userId: string; email: string };

async function noteOpened({ isCodeDue }: OpenedSession, person: Person, visitor: Visitor, outcome: Outcome) {
  outcome.isCodeDue = isCodeDue;
  if (!isCodeDue) await noteSignIn(person, visitor, outcome);
}

/** Marks the browser as known, and alerts the account's user to one that was not. Never fails a sign-in. */
async function noteSignIn({ userId, email: address }: Person, visitor: Visitor, outcome: Outcome): Promise<void> {
  const known = knownBrowserId(visitor.cookieHeader, address);
  const { name, value, options } = knownBrowserCookie(address, known);
  const { path, maxAge, secure } = options;
  outcome.knownBrowserCookie = `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly;${secure ? " Secure;" : ""} SameSite=Lax`;
  if (known) return;
  await noteNewDevice({ userId, visitor }).catch((error: unknown) =>
    log("warn", "alerts.not-written", errorFields(error)),
  );
}

const openFor = async ({ id, passwordHash }: { id: string; passwordHash: string | null }, visitor: Visitor) =>
  openSession({ userId: id, visitor, passwordHash, replaces: await readSessionId(visitor.cookieHeader) });

/** Both return an email address only if the provider has verified it. */
function configuredProviders(): NextAuthOptions["providers"] {
  const { GOOGLE_ID, GOOGLE_SECRET, GITHUB_ID, GITHUB_SECRET } = env();
  const google = client(GOOGLE_ID, GOOGLE_SECRET).map((its) =>
    Google({
      ...its,
      profile: ({ sub, email, email_verified }) => ({ id: sub, email: email_verified ? email : null }),
    }),
  );
  const gitHub = client(GITHUB_ID, GITHUB_SECRET).map((its) =>
    GitHub({
      ...its,
      profile: async ({ id }, { access_token = "" }) => ({
        id: String(id),
        email: await verifiedGitHubEmail(access_token),
      }),
    }),
  );
  return [...google, ...gitHub];
}

/** Our client at a provider; none unless both are set. */
const client = (clientId: string | undefined, clientSecret: string | undefined) =>
  clientId && clientSecret ? [{ clientId, clientSecret, httpOptions: { lookup: hostLookup } }] : [];

const GitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** GitHub's profile does not say whether its address was verified; this list does. */
async function verifiedGitHubEmail(accessToken: string): Promise<string | null> {
  const response = await fetchHost("https://api.github.com/user/emails", {
    headers: { authorization: `Bearer ${accessToken}`, accept: "application/vnd.github+json" },
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) return null;
  const emails = GitHubEmails.safeParse(await response.json()).data ?? [];
  return emails.find(({ primary, verified }) => primary && verified)?.email ?? null;
}

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Returns the browser's id from its cookies if it was used to sign in to this account before. */
export function knownBrowserId(cookieHeader: string | null, email: string): string | undefined {
  const [id = "", mark = ""] = (cookieValue(cookieHeader ?? "", cookieName()) ?? "").split(".");
  return cookieSecrets().some((secret) => isSameSecret(mark, markOf(id, email, secret))) ? id : undefined;
}

/** Returns a cookie that `knownBrowserId` recognizes. It grants no access, and is sent to the routes of a sign-in only. */
export function knownBrowserCookie(email: string, id = randomBytes(16).toString("base64url")) {
  return {
    name: cookieName(),
    value: `${id}.${markOf(id, email, env().NEXTAUTH_SECRET)}`,
    options: {
      path: "/api/auth/callback",
      maxAge: YEAR_SECONDS,
      httpOnly: true,
      secure: usesSecureCookies(),
      sameSite: "lax" as const,
    },
  };
}

const cookieName = () => `${usesSecureCookies() ? "__Secure-" : ""}next-auth.known-browser`;

const markOf = (id: string, email: string, secret: string) =>
  createHmac("sha256", secret)
    .update(`known browser\0${id}\0${accountDigest(email)}`)
    .digest("base64url");
