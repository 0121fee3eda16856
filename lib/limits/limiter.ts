import { Redis } from "@upstash/redis";
import { env } from "@/lib/core/env";
import { processWide } from "@/lib/core/process-wide";
import { FullWindows, type Instant } from "./full-windows";
import { type RateLimitScope, type RateLimitState, WINDOW_MS } from "./policies";
import type { Count } from "./postgres-window";
import { upstashLimit } from "./upstash-limit";

export function limitOf(scope: RateLimitScope): number {
  return scope === "ip" ? env().PUBLIC_API_IP_RATE_LIMIT : env().PUBLIC_API_KEY_RATE_LIMIT;
}

/** The name that a limit's window has in its store. */
export function windowId(scope: RateLimitScope, id: string): string {
  return `${windowPrefix(scope)}${id}`;
}

export function windowPrefix(scope: RateLimitScope): string {
  return `rl:${scope}:`;
}

/** Where a request stands that Postgres has counted; what is used up is remembered until its window ends. */
export function countedState(
  scope: RateLimitScope,
  id: string,
  { used, resetInMs, asked }: Count & { asked: Instant },
): RateLimitState {
  const limit = limitOf(scope);
  if (used >= limit) fullWindows().remember(windowId(scope, id), { resetInMs, asked, answered: instantNow() });
  return {
    scope,
    limit,
    isAllowed: used <= limit,
    remaining: Math.max(0, limit - used),
    resetAtMs: Date.now() + resetInMs,
  };
}

/** The refusal of a limit that Postgres has found used up, while its window surely lasts; asks no store. */
export function findUsedUp(scope: RateLimitScope, id: string): RateLimitState | undefined {
  const resetInMs = fullWindows().resetInMs(windowId(scope, id), instantNow());
  if (resetInMs === undefined) return undefined;
  return { scope, limit: limitOf(scope), isAllowed: false, remaining: 0, resetAtMs: Date.now() + resetInMs };
}

export function instantNow(): Instant {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** Takes one request of `id` from the limit of `scope` in Upstash. */
export type TakeFromUpstash = (scope: RateLimitScope, id: string) => Promise<RateLimitState>;

/** Undefined where Postgres is the store. */
export function upstashStore(): TakeFromUpstash | undefined {
  return processWide("limiters", () => {
    const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
    if (!url || !token) return { take: undefined };
    const redis = new Redis({ url, token, enableTelemetry: false, retry: false });
    const takeOf = (scope: RateLimitScope) =>
      upstashLimit(redis, { prefix: `rl:${scope}`, limit: limitOf(scope), windowMs: WINDOW_MS });
    const takes = { ip: takeOf("ip"), key: takeOf("key") };
    const take: TakeFromUpstash = async (scope, id) => ({ scope, limit: limitOf(scope), ...(await takes[scope](id)) });
    return { take };
  }).take;
}

const fullWindows = () => processWide("full-windows", () => new FullWindows());
