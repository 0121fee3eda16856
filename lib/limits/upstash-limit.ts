import { performance } from "node:perf_hooks";
import { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "@upstash/redis";
import { errorFields, log } from "@/lib/core/log";
import { setNewest } from "@/lib/core/process-wide";

/** How long a request waits for Upstash before this process counts alone. */
export const UPSTASH_DEADLINE_MS = 150;
/** While the store does not respond, one request per interval waits for it; the others are counted locally. */
const ASK_AGAIN_AFTER_MS = 1_000;
const REPORT_AGAIN_AFTER_MS = 60_000;

export type Taken = { isAllowed: boolean; remaining: number; resetAtMs: number };

/**
 * A limit in Upstash, with the library's fixed window. Never rejects: while the store is slow or unavailable, this
 * process counts alone with the same limit, because a request needs nothing else from the store.
 */
export function upstashLimit(redis: Redis, { prefix, limit, windowMs }: Window & { prefix: string }) {
  const store = new Ratelimit({
    redis,
    limiter: Ratelimit.fixedWindow(limit, `${windowMs} ms`),
    prefix,
    // On a timeout the library lets a request pass; we count it in this process instead.
    timeout: 0,
  });
  const fallback = new ProcessWindow(limit, windowMs);

  const ask = async (id: string): Promise<Taken> => {
    const answer = store.limit(id).then(({ success, remaining, reset }) => {
      if (!Number.isInteger(remaining) || !Number.isFinite(reset)) throw new Error("the store returned no valid limit");
      storeState.answeredAtMs = performance.now();
      storeState.askAgainAtMs = 0;
      const left = Math.max(0, remaining);
      fallback.observe(id, limit - left, Date.now());
      return { isAllowed: success, remaining: left, resetAtMs: reset };
    });
    return withinStoreDeadline(answer, UPSTASH_DEADLINE_MS);
  };

  return async (id: string): Promise<Taken> => {
    const askedAtMs = performance.now();
    if (askedAtMs >= storeState.askAgainAtMs) {
      // While it does not respond, the next ones do not wait beside this one.
      if (storeState.askAgainAtMs > 0) storeState.askAgainAtMs = askedAtMs + ASK_AGAIN_AFTER_MS;
      try {
        return await ask(id);
      } catch (error) {
        // A store that responds to nothing is skipped for a while; a slow one is asked each time.
        if (storeState.answeredAtMs < askedAtMs) storeState.askAgainAtMs = performance.now() + ASK_AGAIN_AFTER_MS;
        reportUnavailable(error);
      }
    }
    return fallback.take(id, Date.now());
  };
}

type Window = { limit: number; windowMs: number };

/** The store's last result, and when to ask it and log next, on the monotonic clock. */
const storeState = {
  answeredAtMs: Number.NEGATIVE_INFINITY,
  askAgainAtMs: 0,
  reportAgainAtMs: 0,
};

function reportUnavailable(error: unknown) {
  if (performance.now() < storeState.reportAgainAtMs) return;
  storeState.reportAgainAtMs = performance.now() + REPORT_AGAIN_AFTER_MS;
  const { message, ...fields } = errorFields(error);
  // The Upstash client's errors quote the command, which contains a client's address.
  const reason = typeof message === "string" ? message.split(", command was")[0] : undefined;
  log("warn", "limiter.store-away", { ...fields, reason });
}

/** The longest wait for a store, however busy this process is. */
const MAX_WALL_MS = 2_200;

/**
 * Rejects if there is no response after `idleMs` of idle time: time in which this process was busy
 * is its own and not the store's, which a Deadline would count. Up to 2.2 s in all.
 */
export async function withinStoreDeadline<T>(answer: Promise<T>, idleMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  answer.catch(() => {});
  const startedAtMs = performance.now();
  const loopAtStart = performance.eventLoopUtilization();
  const deadline = new Promise<never>((_, reject) => {
    const check = () => {
      const idleLeftMs = idleMs - performance.eventLoopUtilization(loopAtStart).idle;
      const leftMs = Math.min(idleLeftMs, MAX_WALL_MS - (performance.now() - startedAtMs));
      if (leftMs < 1) return reject(new Error(`the limiter's store did not answer in ${idleMs} ms`));
      timer = setTimeout(check, leftMs);
    };
    timer = setTimeout(check, idleMs);
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** A fixed window counted in this process, used while the limiter's store is unavailable. Bounded in memory. */
export class ProcessWindow {
  private bucket = -1;
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly maxIds = 50_000,
  ) {}

  /** Stores the store's count, so that the window continues from it when the store becomes unavailable. */
  observe(id: string, used: number, nowMs: number): void {
    this.turnTo(nowMs);
    this.count(id, Math.max(used, this.counts.get(id) ?? 0));
  }

  take(id: string, nowMs: number): Taken {
    this.turnTo(nowMs);
    const used = (this.counts.get(id) ?? 0) + 1;
    this.count(id, used);
    return {
      isAllowed: used <= this.limit,
      remaining: Math.max(0, this.limit - used),
      resetAtMs: (this.bucket + 1) * this.windowMs,
    };
  }

  private turnTo(nowMs: number): void {
    const bucket = Math.floor(nowMs / this.windowMs);
    if (bucket === this.bucket) return;
    this.bucket = bucket;
    this.counts.clear();
  }

  private count(id: string, used: number): void {
    setNewest(this.counts, id, used, this.maxIds);
  }
}
