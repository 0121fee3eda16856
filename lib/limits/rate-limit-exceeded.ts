import { AppError } from "@/lib/core/app-error";
import { retryAfterSeconds } from "./headers";
import type { RateLimitState } from "./policies";

/** The 429 of a limit that is used up: which one, how large it is, and when its window ends. */
export function rateLimitExceeded(state: RateLimitState, nowMs: number): AppError {
  const { scope, limit } = state;
  const seconds = retryAfterSeconds(state, nowMs);
  const who = scope === "ip" ? "from this client IP" : "with this API key";
  const note =
    scope === "ip" ? " One server on one IP reaches this before its key's own limit; status polls count, too." : "";
  return new AppError(
    "RATE_LIMIT_EXCEEDED",
    `${limit} requests per 15 minutes ${who} are used up. Retry in ${seconds} s.${note}`,
    { details: { scope, limit, retryable: true, retryAfterSeconds: seconds } },
  );
}
