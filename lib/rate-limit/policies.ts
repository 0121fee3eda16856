export type RateLimitScope = "ip" | "key";

export const WINDOW_MS = 15 * 60_000;

/**
 * How long a request waits for the limiter's store before this process counts by itself. The database is waited for
 * longer: the request needs it next in any case, and under load each process would let the whole limit pass.
 */
export const STORE_DEADLINES_MS = { redis: 150, postgres: 1_500 } as const;

/** While a store is away, one request in this time waits for it; the others are counted here at once. */
export const ASK_STORE_AGAIN_AFTER_MS = 1_000;

/** Where a request stands within one limit. `resetAtMs` is epoch milliseconds, the end of the fixed window. */
export type RateLimitState = {
  scope: RateLimitScope;
  isAllowed: boolean;
  limit: number;
  remaining: number;
  resetAtMs: number;
};
