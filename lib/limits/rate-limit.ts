import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";

export type RateLimitScope = "ip" | "key";

export const WINDOW_MS = 15 * 60_000;

/** A request's state within one limit. `resetAtMs` is the end of the fixed window in epoch milliseconds. */
export type RateLimitState = {
  scope: RateLimitScope;
  isAllowed: boolean;
  limit: number;
  remaining: number;
  resetAtMs: number;
};

export function limitOf(scope: RateLimitScope): number {
  return scope === "ip" ? env().PUBLIC_API_IP_RATE_LIMIT : env().PUBLIC_API_KEY_RATE_LIMIT;
}

/** Returns the limit that refuses, else the one with the fewest requests left. */
export function bindingLimit(states: readonly RateLimitState[]): RateLimitState | undefined {
  return [...states].sort((a, b) => Number(a.isAllowed) - Number(b.isAllowed) || a.remaining - b.remaining)[0];
}

/** `RateLimit-*` of the tighter limit, in delta seconds, and `RateLimit-Policy` of all that apply. */
export function rateLimitHeaders(states: readonly RateLimitState[], nowMs: number): Record<string, string> {
  const binding = bindingLimit(states);
  if (!binding) return {};
  return {
    "RateLimit-Limit": String(binding.limit),
    "RateLimit-Remaining": String(binding.remaining),
    "RateLimit-Reset": String(retryAfterSeconds(binding, nowMs)),
    "RateLimit-Policy": states.map(({ scope, limit }) => `"${scope}";q=${limit};w=${WINDOW_MS / 1_000}`).join(", "),
  };
}

/** Returns whole seconds until the window ends, at least 1 and at most a window. A retry after that succeeds. */
export function retryAfterSeconds({ resetAtMs }: RateLimitState, nowMs: number): number {
  // If the clock is set back during a request, a caller must not wait longer than one window.
  const leftMs = Math.min(resetAtMs - nowMs, WINDOW_MS);
  return Math.max(1, Math.ceil(leftMs / 1_000));
}

/** The 429 of a used-up limit: which one, its size, and when its window ends. */
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
