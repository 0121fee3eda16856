import { Redis } from "@upstash/redis";
import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";
import { FullWindows, type Instant } from "./full-windows";
import { type RateLimitScope, type RateLimitState, WINDOW_MS } from "./policies";
import { sharedWindow } from "./postgres-window";
import { type Taken, upstashLimit } from "./upstash-limit";

/**
 * Takes one request of `id` from the limit of `scope`. With Postgres as the store it is exact, and rejects with
 * DatabaseUnavailable where the request is not counted at the instant `byMs` of `performance.now()`: it needs the
 * database in any case, so that a count of this process alone would only let more requests pass.
 */
export const takeRequest = async (
  scope: RateLimitScope,
  id: string,
  options: { byMs: number },
): Promise<RateLimitState> => {
  const { limit, take } = limits()[scope];
  return { scope, limit, ...(await take(id, options)) };
};

/** The 429 of a limit that Postgres has found used up, as long as its window surely lasts; asks nobody. */
export const findUsedUp = (scope: RateLimitScope, id: string): RateLimitState | undefined => {
  const resetInMs = fullWindows().resetInMs(windowId(scope, id), now());
  return resetInMs === undefined ? undefined : { scope, limit: limits()[scope].limit, ...usedUp(resetInMs) };
};

export const windowId = (scope: RateLimitScope, id: string): string => `rl:${scope}:${id}`;

type Limit = { limit: number; take: (id: string, options: { byMs: number }) => Promise<Taken> };

const limits = () =>
  processWide("limiters", (): Record<RateLimitScope, Limit> => {
    const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
    const redis = url && token ? new Redis({ url, token, enableTelemetry: false, retry: false }) : undefined;
    const limitOf = (scope: RateLimitScope, limit: number): Limit => {
      const prefix = `rl:${scope}`;
      return {
        limit,
        take: redis ? upstashLimit(redis, { prefix, limit, windowMs: WINDOW_MS }) : inPostgres(scope, limit),
      };
    };
    return {
      ip: limitOf("ip", env().PUBLIC_API_IP_RATE_LIMIT),
      key: limitOf("key", env().PUBLIC_API_KEY_RATE_LIMIT),
    };
  });

const fullWindows = () => processWide("full-windows", () => new FullWindows());

const inPostgres = (scope: RateLimitScope, limit: number): Limit["take"] => {
  const take = sharedWindow(WINDOW_MS);
  return async (id, options) => {
    const asked = now();
    const name = windowId(scope, id);
    const { used, resetInMs } = await take(name, options);
    if (used >= limit) fullWindows().remember(name, { resetInMs, asked, answered: now() });
    if (used > limit) return usedUp(resetInMs);
    return { isAllowed: true, remaining: limit - used, resetAtMs: Date.now() + resetInMs };
  };
};

const usedUp = (resetInMs: number): Taken => ({
  ...{ isAllowed: false, remaining: 0 },
  resetAtMs: Date.now() + resetInMs,
});

const now = (): Instant => ({ monotonicMs: performance.now(), wallMs: Date.now() });
