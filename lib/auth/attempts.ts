import { createHash } from "node:crypto";
import { AppError } from "@/lib/core/app-error";
import { type AttemptWindow, giveBack, type Taken, takeAttempt } from "@/lib/limits/attempts";
import { WINDOW_MS } from "@/lib/limits/rate-limit";

type Limits = { windows: AttemptWindow[]; scope: string; refusal: (minutes: number) => string };

/**
 * Runs `work` as one attempt, or throws 429 if a window is full. Counts first, so that concurrent attempts cannot
 * exceed the limit. An attempt that fails on our side is refunded.
 */
async function asAttempt<T>(
  { windows, scope, refusal }: Limits,
  work: () => Promise<T>,
): Promise<{ result: T; taken: Taken[] }> {
  const attempt = await takeAttempt(windows);
  if ("fullForMs" in attempt) {
    const seconds = Math.max(1, Math.ceil(attempt.fullForMs / 1_000));
    throw new AppError("RATE_LIMIT_EXCEEDED", refusal(Math.ceil(seconds / 60)), {
      details: { scope, retryable: true, retryAfterSeconds: seconds },
    });
  }
  try {
    return { result: await work(), taken: attempt.taken };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) void giveBack(attempt.taken);
    throw error;
  }
}

/** Hashes the normalized address, so that no typed text is stored: people may type anything there. */
export function accountDigest(email: string): string {
  return createHash("sha256").update(email.trim().toLowerCase()).digest("hex");
}

/** Attempts allowed per IP address in 15 minutes, without a session. */
const MOST = { signUp: 10, setUp: 30, invitation: 60, passwordReset: 60, resetMail: 10 } as const;

/** Runs `work` as one attempt of the IP address; throws 429 after too many. */
export async function countedForm<T>(kind: keyof typeof MOST, address: string, work: () => Promise<T>): Promise<T> {
  const windows = [{ id: `${kind}:ip:${address}`, limit: MOST[kind] }];
  const refusal = (minutes: number) => `Too many attempts. Try again in ${minutes} min.`;
  return (await asAttempt({ windows, scope: kind, refusal }, work)).result;
}

/** Mails in 15 minutes: to one account, and of one workspace. Each reaches someone who may not want it. */
const MOST_MAILS = { passwordReset: 3, confirmation: 3, invitation: 30 } as const;

/** Runs `work`, which sends a mail, as one attempt of the account or workspace `cause`; throws 429 after too many. */
export async function countedMail<T>(kind: keyof typeof MOST_MAILS, cause: string, work: () => Promise<T>): Promise<T> {
  const windows = [{ id: `mail:${kind}:${cause}`, limit: MOST_MAILS[kind] }];
  const refusal = (minutes: number) => `Too many mails. Try again in ${minutes} min.`;
  return (await asAttempt({ windows, scope: `${kind}Mail`, refusal }, work)).result;
}

const FAILURES_PER_ACCOUNT = 10;
const FAILURES_PER_ADDRESS = 30;
const FAILURES_PER_KNOWN_BROWSER = 10;

/**
 * `knownBrowser`: the id that replaces account and IP address for counting, if it has signed in here before. Codes count by
 * themselves: the right password must not give back the guesses at them.
 */
type Attempt = { of?: Guessed; email: string; address: string; knownBrowser: string | undefined };

type Guessed = "password" | "code";
const WINDOWS: Record<Guessed, string> = { password: "sign-in", code: "code" };

/**
 * Runs `check` unless the account or the IP address has too many failures; then throws 429. A
 * success clears the account's failures and refunds the address's attempt. A browser that has signed in before
 * is counted separately, so that strangers cannot lock the owner out.
 */
export async function countedAttempt<T>(
  { of = "password", email, address, knownBrowser }: Attempt,
  check: () => Promise<T | null>,
): Promise<T | null> {
  const addressId = `${WINDOWS[of]}:ip:${address}`;
  const windows =
    knownBrowser === undefined
      ? [
          { id: addressId, limit: FAILURES_PER_ADDRESS },
          { id: accountWindow(of, email), limit: FAILURES_PER_ACCOUNT },
        ]
      : [{ id: `${WINDOWS[of]}:browser:${knownBrowser}`, limit: FAILURES_PER_KNOWN_BROWSER }];
  const { result, taken } = await asAttempt({ windows, scope: "signIn", refusal: refusalOf(of) }, check);
  if (result === null) return null;
  const isOfAddress = ({ id }: { id: string }) => id === addressId;
  const others = taken.filter((one) => !isOfAddress(one));
  await Promise.all([giveBack(taken.filter(isOfAddress)), giveBack(others, FAILURES_PER_ACCOUNT)]);
  return result;
}

/** Lets an account sign in again at once, after its password was reset. */
export function forgetFailures(email: string): Promise<void> {
  return giveBack(
    [{ id: accountWindow("password", email), endsAtMs: performance.now() + WINDOW_MS }],
    FAILURES_PER_ACCOUNT,
  );
}

const accountWindow = (of: Guessed, email: string) => `${WINDOWS[of]}:account:${accountDigest(email)}`;

const refusalOf = (of: Guessed) => (minutes: number) =>
  `Too many attempts to sign in. Try again in ${minutes} min; until then no ${of} is checked.`;
