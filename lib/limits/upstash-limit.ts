import { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "@upstash/redis";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { ProcessWindow } from "./process-window";
import { withinStoreDeadline } from "./store-deadline";

/** How long a request waits for Upstash before this process counts alone. */
export const UPSTASH_DEADLINE_MS = 150;
/** While the store is silent, one request in this time waits for it; the others are counted here at once. */
const ASK_AGAIN_AFTER_MS = 1_000;
const REPORT_AGAIN_AFTER_MS = 60_000;

export type Taken = { isAllowed: boolean; remaining: number; resetAtMs: number };

/**
 * A limit that Upstash keeps, by the library's fixed window. Never rejects: while the store is slow or unavailable this
 * process counts alone with the same limit, as a request needs nothing else of that store.
 */
export function upstashLimit(redis: Redis, { prefix, limit, windowMs }: { prefix: string } & Fixed) {
  const store = new Ratelimit({
    redis,
    limiter: Ratelimit.fixedWindow(limit, `${windowMs} ms`),
    prefix,
    // The library lets a request pass when its own time is up; ours counts it instead.
    timeout: 0,
  });
  const fallback = new ProcessWindow(limit, windowMs);

  const ask = async (id: string): Promise<Taken> => {
    const answer = store.limit(id).then(({ success, remaining, reset }) => {
      if (!Number.isInteger(remaining) || !Number.isFinite(reset))
        throw new Error("that is no answer of a limiter's store");
      pulse.answeredAtMs = performance.now();
      pulse.askAgainAtMs = 0;
      const left = Math.max(0, remaining);
      fallback.observe(id, limit - left, Date.now());
      return { isAllowed: success, remaining: left, resetAtMs: reset };
    });
    return withinStoreDeadline(answer, UPSTASH_DEADLINE_MS);
  };

  return async (id: string): Promise<Taken> => {
    const askedAtMs = performance.now();
    if (askedAtMs >= pulse.askAgainAtMs) {
      try {
        return await ask(id);
      } catch (error) {
        // A store that is silent to every request is left alone for a while; one that is only slow is asked each time.
        if (pulse.answeredAtMs < askedAtMs) pulse.askAgainAtMs = performance.now() + ASK_AGAIN_AFTER_MS;
        reportUnavailable(error);
      }
    }
    return fallback.take(id, Date.now());
  };
}

type Fixed = { limit: number; windowMs: number };

/** What the store last did, and when it is asked and reported next, on the monotonic clock. */
const pulse = processWide("limiterPulse", () => ({
  answeredAtMs: Number.NEGATIVE_INFINITY,
  askAgainAtMs: 0,
  reportAgainAtMs: 0,
}));

const reportUnavailable = (error: unknown) => {
  if (performance.now() < pulse.reportAgainAtMs) return;
  pulse.reportAgainAtMs = performance.now() + REPORT_AGAIN_AFTER_MS;
  const { message, ...fields } = errorFields(error);
  // Its client quotes the command, and in it a client's address.
  const reason = typeof message === "string" ? message.split(", command was")[0] : undefined;
  log("warn", "limiter.store-away", { ...fields, reason });
};
