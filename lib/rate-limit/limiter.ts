import { setImmediate as nextTurn } from "node:timers/promises";
import { Ratelimit, type RatelimitConfig } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { env } from "@/lib/env";
import { errorFields, log } from "@/lib/log";
import { processWide } from "@/lib/process-wide";
import { type RateLimitScope, type RateLimitState, STORE_DEADLINE_MS, WINDOW_MS } from "./policies";
import { postgresWindow } from "./postgres-window";
import { ProcessWindow } from "./process-window";

/**
 * Takes one request of `id` from the limit of `scope`. Never throws: while the store is slow or away this process counts
 * by itself with the same limits, which is stricter than a free pass and kinder than an outage.
 */
export const takeRequest = async (scope: RateLimitScope, id: string): Promise<RateLimitState> => {
  const { store, fallback, limit } = limiters()[scope];
  try {
    const taken = await withinDeadline(store.limit(id));
    return { scope, isAllowed: taken.success, limit, remaining: Math.max(0, taken.remaining), resetAtMs: taken.reset };
  } catch (error) {
    reportStoreAway(error);
    return { scope, limit, ...fallback.take(id, Date.now()) };
  }
};

type Limiter = { limit: number; store: Ratelimit; fallback: ProcessWindow };

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
      fallback: new ProcessWindow(limit, WINDOW_MS),
    });
    return {
      ip: limiter("ip", env().PUBLIC_API_IP_RATE_LIMIT),
      key: limiter("key", env().PUBLIC_API_KEY_RATE_LIMIT),
    };
  });

const unreachable = () => Promise.reject(new Error("no redis is configured"));
const noRedis: RatelimitConfig["redis"] = { evalsha: unreachable, get: unreachable, set: unreachable };

const withinDeadline = async <T>(answer: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  answer.catch(() => {});
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(async () => {
      // A busy event loop runs this timer before it reads an answer that is already here: let it read first.
      await nextTurn();
      await nextTurn();
      reject(new Error(`the limiter's store did not answer within ${STORE_DEADLINE_MS} ms`));
    }, STORE_DEADLINE_MS);
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
};

const reports = processWide("limiter-reports", () => ({ nextAtMs: 0 }));

const reportStoreAway = (error: unknown) => {
  if (Date.now() < reports.nextAtMs) return;
  reports.nextAtMs = Date.now() + 60_000;
  log("warn", "limiter.store-away", errorFields(error));
};
