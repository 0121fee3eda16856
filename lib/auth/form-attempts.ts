import { AppError } from "@/lib/errors";
import { WINDOW_MS } from "@/lib/rate-limit/policies";
import { takeFromWindow } from "@/lib/rate-limit/postgres-window";

/** What a stranger may try, and how often from one address in 15 minutes. */
const MOST = { signUp: 10, invitation: 60 } as const;

/** Counts an attempt, and throws 429 where there were too many. */
export const countFormAttempt = async (kind: keyof typeof MOST, address: string): Promise<void> => {
  const { used, resetInMs } = await takeFromWindow(`${kind}:ip:${address}`, 1, WINDOW_MS);
  if (used <= MOST[kind]) return;
  const seconds = Math.max(1, Math.ceil(resetInMs / 1_000));
  throw new AppError("RATE_LIMIT_EXCEEDED", `Too many attempts. Try again in ${Math.ceil(seconds / 60)} min.`, {
    details: { scope: kind, retryable: true, retryAfterSeconds: seconds },
  });
};
