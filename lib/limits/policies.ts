export type RateLimitScope = "ip" | "key";

export const WINDOW_MS = 15 * 60_000;

/** Where a request stands within one limit. `resetAtMs` is epoch milliseconds, the end of the fixed window. */
export type RateLimitState = {
  scope: RateLimitScope;
  isAllowed: boolean;
  limit: number;
  remaining: number;
  resetAtMs: number;
};
