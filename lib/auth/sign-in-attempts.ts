import { AppError } from "@/lib/errors";
import { WINDOW_MS } from "@/lib/rate-limit/policies";
import { type Count, giveBackAll, takeFromWindow } from "@/lib/rate-limit/postgres-window";
import { accountDigest } from "./account-digest";

const FAILURES_PER_ACCOUNT = 10;
const FAILURES_PER_ADDRESS = 30;
const FAILURES_PER_KNOWN_BROWSER = 10;

type Attempt = { email: string; address: string; knownBrowser: string | undefined };

/**
 * Runs `check` where neither the account nor the client address has used up its failures, and throws 429 otherwise. The
 * attempt is counted before it is checked, so that a thousand at once are no more than ten; a success gives it back. A
 * browser that was in this account before counts by itself: strangers who keep failing must not lock its owner out.
 */
export const countedAttempt = async <T>(
  { email, address, knownBrowser }: Attempt,
  check: () => Promise<T | null>,
): Promise<T | null> => {
  if (knownBrowser !== undefined) {
    const browserId = `sign-in:browser:${knownBrowser}`;
    refuseOver(await takeFromWindow(browserId, 1, WINDOW_MS), FAILURES_PER_KNOWN_BROWSER);
    const found = await check();
    if (found !== null) await giveBackAll(browserId);
    return found;
  }
  const [accountId, addressId] = [`sign-in:account:${accountDigest(email)}`, `sign-in:ip:${address}`];
  // An address that is blocked must not use up other people's accounts.
  refuseOver(await takeFromWindow(addressId, 1, WINDOW_MS), FAILURES_PER_ADDRESS);
  refuseOver(await takeFromWindow(accountId, 1, WINDOW_MS), FAILURES_PER_ACCOUNT);
  const found = await check();
  if (found === null) return null;
  await Promise.all([giveBackAll(accountId), takeFromWindow(addressId, -1, WINDOW_MS)]);
  return found;
};

const refuseOver = ({ used, resetInMs }: Count, limit: number): void => {
  if (used <= limit) return;
  const seconds = Math.max(1, Math.ceil(resetInMs / 1_000));
  throw new AppError(
    "RATE_LIMIT_EXCEEDED",
    `Too many attempts to sign in. Try again in ${Math.ceil(seconds / 60)} min; until then no password is checked.`,
    { details: { scope: "signIn", retryable: true, retryAfterSeconds: seconds } },
  );
};
