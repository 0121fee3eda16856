import { createHash } from "node:crypto";
import { AppError } from "@/lib/errors";
import { WINDOW_MS } from "@/lib/rate-limit/policies";
import { type Count, giveBackAll, takeFromWindow } from "@/lib/rate-limit/postgres-window";

const FAILURES_PER_ACCOUNT = 10;
const FAILURES_PER_ADDRESS = 30;

/**
 * Runs `check` where neither the account nor the client address has used up its failures, and throws 429 otherwise. The
 * attempt is counted before it is checked, so that a thousand at once are no more than ten; a success gives it back.
 */
export const countedAttempt = async <T>(
  { email, address }: { email: string; address: string },
  check: () => Promise<T | null>,
): Promise<T | null> => {
  const [accountId, addressId] = [`sign-in:account:${digest(email)}`, `sign-in:ip:${address}`];
  // An address that is blocked must not use up other people's accounts.
  refuseOver(await takeFromWindow(addressId, 1, WINDOW_MS), FAILURES_PER_ADDRESS);
  refuseOver(await takeFromWindow(accountId, 1, WINDOW_MS), FAILURES_PER_ACCOUNT);
  const found = await check();
  if (found === null) return null;
  await Promise.all([giveBackAll(accountId), takeFromWindow(addressId, -1, WINDOW_MS)]);
  return found;
};

// An account that does not exist counts alike; what people type there may be anything, so it is not kept as it is.
const digest = (email: string) => createHash("sha256").update(email.trim().toLowerCase()).digest("hex");

const refuseOver = ({ used, resetInMs }: Count, limit: number): void => {
  if (used <= limit) return;
  const seconds = Math.max(1, Math.ceil(resetInMs / 1_000));
  throw new AppError(
    "RATE_LIMIT_EXCEEDED",
    `Too many attempts to sign in. Try again in ${Math.ceil(seconds / 60)} min; until then no password is checked.`,
    { details: { scope: "signIn", retryable: true, retryAfterSeconds: seconds } },
  );
};
