import { Redis } from "@upstash/redis";
import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";
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

type Limit = { limit: number; take: (id: string, options: { byMs: number }) => Promise<Taken> };

const limits = () =>
  processWide("limiters", (): Record<RateLimitScope, Limit> => {
    const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
    const redis = url && token ? new Redis({ url, token, enableTelemetry: false, retry: false }) : undefined;
    const limitOf = (scope: RateLimitScope, limit: number): Limit => {
      const prefix = `rl:${scope}`;
      return {
        limit,
        take: redis ? upstashLimit(redis, { prefix, limit, windowMs: WINDOW_MS }) : inPostgres(prefix, limit),
      };
    };
    return {
      ip: limitOf("ip", env().PUBLIC_API_IP_RATE_LIMIT),
      key: limitOf("key", env().PUBLIC_API_KEY_RATE_LIMIT),
    };
  });

const inPostgres = (prefix: string, limit: number): Limit["take"] => {
  const take = sharedWindow(WINDOW_MS);
  return async (id, options) => {
    const { used, resetInMs } = await take(`${prefix}:${id}`, options);
    return { isAllowed: used <= limit, remaining: Math.max(0, limit - used), resetAtMs: Date.now() + resetInMs };
  };
};
