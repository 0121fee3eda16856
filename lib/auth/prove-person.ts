import { AppError, invalid } from "@/lib/core/app-error";
import { countedAttempt } from "./attempts";
import { WRONG_CODE } from "./change-second-factor";
import { FRESH_SIGN_IN_MINUTES, isFreshSignIn } from "./credential-limits";
import type { SignedIn } from "./member";
import { passwordMatches } from "./password";
import { findPasswordHash } from "./user-queries";
import type { Visitor } from "./visitor";

/**
 * Checks that the person themselves changes what opens their account: by the password, or where there is none by a sign-in of
 * the last minutes. A stolen cookie must not become one that lasts. Returns the hash that was checked. Guesses count as sign-ins
 * do, by themselves for each session: strangers who fail to sign in must not keep the owner from it.
 */
export async function provePerson(
  { userId, email, sessionId, signedInAt }: SignedIn,
  { address }: Visitor,
  { password, purpose }: { password: string; purpose: string },
): Promise<string | null> {
  const checkedHash = await findPasswordHash(userId);
  if (checkedHash === null) {
    if (!isFreshSignIn(signedInAt, new Date())) throw staleSignIn(purpose);
    return null;
  }
  const isRight = await countedAttempt({ email, address, knownBrowser: sessionId }, async () =>
    (await passwordMatches(password, checkedHash, address)) ? true : null,
  );
  if (!isRight) throw invalid([{ path: "current", message: "Wrong password." }]);
  return checkedHash;
}

const staleSignIn = (purpose: string) =>
  new AppError(
    "FORBIDDEN",
    `Your sign-in is more than ${FRESH_SIGN_IN_MINUTES} minutes old: sign out and in again, then ${purpose}.`,
    { details: { retryable: false } },
  );

/** Runs `use` with a code of the second factor as one attempt of the session. Throws VALIDATION_ERROR for a wrong one. */
export async function withCode<T>(
  { email, sessionId }: SignedIn,
  { address }: Visitor,
  use: () => Promise<T | undefined>,
): Promise<T> {
  const attempt = { of: "code", email, address, knownBrowser: sessionId } as const;
  const done = await countedAttempt(attempt, async () => (await use()) ?? null);
  if (done === null) throw invalid([{ path: "code", message: WRONG_CODE }]);
  return done;
}
