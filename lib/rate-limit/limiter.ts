import { Ratelimit, type RatelimitConfig } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { env } from "@/lib/env";
import { errorFields, log } from "@/lib/log";
import { processWide } from "@/lib/process-wide";
import {
  ASK_STORE_AGAIN_AFTER_MS,
  type RateLimitScope,
  type RateLimitState,
  STORE_DEADLINES_MS,
  WINDOW_MS,
} from "./policies";
import { postgresWindow } from "./postgres-window";
import { ProcessWindow } from "./process-window";
import { withinStoreDeadline } from "./store-deadline";

/**
 * Takes one request of `id` from the limit of `scope`. Never throws: while the store is slow or away this process
 * counts by itself with the same limits, which is stricter than a free pass and kinder than an outage.
 */
export const takeRequest = async (scope: RateLimitScope, id: string): Promise<RateLimitState> => {
  const { fallback, limit } = limiters()[scope];
  const askedAtMs = performance.now();
  if (askedAtMs >= pulse.askAgainAtMs) {
    try {
      return await askStore(scope, id);
    } catch (error) {
      // Silent to everybody, so the next ones need not wait; a store that is only slow is asked each time.
      if (pulse.answeredAtMs < askedAtMs) pulse.askAgainAtMs = performance.now() + ASK_STORE_AGAIN_AFTER_MS;
      reportStoreAway(error);
    }
  }
  return { scope, limit, ...fallback.take(id, Date.now()) };
};

const askStore = async (scope: RateLimitScope, id: string): Promise<RateLimitState> => {
  const { store, deadline, fallback, limit } = limiters()[scope];
  const answer = store.limit(id).then(({ success, remaining, reset }) => {
    if (!Number.isInteger(remaining) || !Number.isFinite(reset))
      throw new Error("that is no answer of a limiter's store");
    pulse.answeredAtMs = performance.now();
    pulse.askAgainAtMs = 0;
    const left = Math.max(0, remaining);
    fallback.observe(id, limit - left, Date.now());
    return { scope, isAllowed: success, limit, remaining: left, resetAtMs: reset };
  });
  return withinStoreDeadline(answer, deadline);
};

type StoreDeadline = { idleMs: number; isAlive: () => boolean };
type Limiter = { limit: number; store: Ratelimit; deadline: StoreDeadline; fallback: ProcessWindow };

const limiters = () =>
  processWide("limiters", (): Record<RateLimitScope, Limiter> => {
    const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
    const redis = url && token ? new Redis({ url, token, enableTelemetry: false, retry: false }) : undefined;
    const limiter = (scope: RateLimitScope, limit: number): Limiter => ({
      limit,
      store: new Ratelimit({
        redis: redis ?? noRedis,
        limiter: redis ? Ratelimit.fixedWindow(limit, `${WINDOW_MS} ms`) : postgresWindow(limit, WINDOW_MS),
        prefix: `rl:${scope}`,
        // The library lets a request pass when its own time is up; ours counts it instead.
        timeout: 0,
      }),
      deadline: redis ? REDIS_DEADLINE : POSTGRES_DEADLINE,
      fallback: new ProcessWindow(limit, WINDOW_MS),
    });
    return {
      ip: limiter("ip", env().PUBLIC_API_IP_RATE_LIMIT),
      key: limiter("key", env().PUBLIC_API_KEY_RATE_LIMIT),
    };
  });

const unreachable = () => Promise.reject(new Error("no redis is configured"));
const noRedis: RatelimitConfig["redis"] = { evalsha: unreachable, get: unreachable, set: unreachable };

/** What the store last did, and when it is asked and reported next, on a clock that nobody sets. */
const pulse = processWide("limiterPulse", () => ({
  answeredAtMs: Number.NEGATIVE_INFINITY,
  askAgainAtMs: 0,
  reportAgainAtMs: 0,
}));

const REDIS_DEADLINE: StoreDeadline = { idleMs: STORE_DEADLINES_MS.redis, isAlive: () => false };
const POSTGRES_DEADLINE: StoreDeadline = {
  idleMs: STORE_DEADLINES_MS.postgres,
  isAlive: () => performance.now() - pulse.answeredAtMs < STORE_DEADLINES_MS.postgres,
};

const reportStoreAway = (error: unknown) => {
  if (performance.now() < pulse.reportAgainAtMs) return;
  pulse.reportAgainAtMs = performance.now() + 60_000;
  const { message, ...fields } = errorFields(error);
  // Its client quotes the command, and in it somebody's address.
  const reason = typeof message === "string" ? message.split(/, command was|\nparams/)[0] : undefined;
  log("warn", "limiter.store-away", { ...fields, reason });
};
