import { Redis, type Requester } from "@upstash/redis";
import { env } from "@/lib/core/env";
import { fetchHost } from "@/lib/core/host-lookup";
import type { Count } from "./postgres-window";
import { type RateLimitScope, type RateLimitState, WINDOW_MS } from "./rate-limit";
import { upstashLimit } from "./upstash-limit";

export function limitOf(scope: RateLimitScope): number {
  return scope === "ip" ? env().PUBLIC_API_IP_RATE_LIMIT : env().PUBLIC_API_KEY_RATE_LIMIT;
}

/** Returns the key of a limit's window in its store. */
export function windowId(scope: RateLimitScope, id: string): string {
  return `${windowPrefix(scope)}${id}`;
}

export function windowPrefix(scope: RateLimitScope): string {
  return `rl:${scope}:`;
}

/** Returns the rate-limit state of a request counted by Postgres; caches exhausted limits until their window ends. */
export function countedState(
  scope: RateLimitScope,
  id: string,
  { used, resetInMs, asked }: Count & { asked: Instant },
): RateLimitState {
  const limit = limitOf(scope);
  if (used >= limit) fullWindows.remember(windowId(scope, id), { resetInMs, asked, answered: instantNow() });
  return {
    scope,
    limit,
    isAllowed: used <= limit,
    remaining: Math.max(0, limit - used),
    resetAtMs: Date.now() + resetInMs,
  };
}

/** Returns the state of a remembered used-up limit while its window certainly lasts, without asking a store. */
export function findUsedUpLimit(scope: RateLimitScope, id: string): RateLimitState | undefined {
  const resetInMs = fullWindows.resetInMs(windowId(scope, id), instantNow());
  if (resetInMs === undefined) return undefined;
  return { scope, limit: limitOf(scope), isAllowed: false, remaining: 0, resetAtMs: Date.now() + resetInMs };
}

export function instantNow(): Instant {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/** Takes one request of `id` from the limit of `scope` in Upstash. */
export type TakeFromUpstash = (scope: RateLimitScope, id: string) => Promise<RateLimitState>;

/** Undefined if Postgres is the store. */
export function upstashStore(): TakeFromUpstash | undefined {
  store ??= openStore();
  return store.take;
}

let store: { take: TakeFromUpstash | undefined } | undefined;

const openStore = (): { take: TakeFromUpstash | undefined } => {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token) return { take: undefined };
  const redis = new Redis(requester(url, token));
  const takeOf = (scope: RateLimitScope) =>
    upstashLimit(redis, { prefix: `rl:${scope}`, limit: limitOf(scope), windowMs: WINDOW_MS });
  const takes = { ip: takeOf("ip"), key: takeOf("key") };
  const take: TakeFromUpstash = async (scope, id) => ({ scope, limit: limitOf(scope), ...(await takes[scope](id)) });
  return { take };
};

/** In place of the library's own, which uses the global `fetch` and so the system's unbounded look-ups. */
const requester = (url: string, token: string): Requester => ({
  request: async ({ body }) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetchHost(url, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as never;
  },
});

/** A time on both clocks: the wall clock can be changed, and the monotonic one stops while the machine sleeps. */
export type Instant = { monotonicMs: number; wallMs: number };

type End = { sureUntil: Instant; overAtMs: number };

/** In a window's last second the store decides, because its clock and ours differ slightly. */
const LEFT_TO_STORE_MS = 1_000;

/**
 * Remembers limits that the store reported as used up. In a fixed window they stay so until it ends, so
 * there is no need to ask before. Bounded: the least recently used id is evicted.
 */
export class FullWindows {
  private readonly ends = new Map<string, End>();

  constructor(private readonly maxIds = 50_000) {}

  /** Records a store's response: asked at `asked`, answered at `answered`, and `resetInMs` left in the window. */
  remember(id: string, { resetInMs, asked, answered }: { resetInMs: number; asked: Instant; answered: Instant }): void {
    const sureMs = resetInMs - LEFT_TO_STORE_MS;
    this.put(id, {
      sureUntil: { monotonicMs: asked.monotonicMs + sureMs, wallMs: asked.wallMs + sureMs },
      overAtMs: answered.monotonicMs + resetInMs,
    });
  }

  /** Returns the milliseconds left in the window if its limit is certainly still used up. */
  resetInMs(id: string, now: Instant): number | undefined {
    const end = this.ends.get(id);
    if (!end) return undefined;
    if (now.monotonicMs >= end.sureUntil.monotonicMs || now.wallMs >= end.sureUntil.wallMs) {
      this.ends.delete(id);
      return undefined;
    }
    this.put(id, end);
    return end.overAtMs - now.monotonicMs;
  }

  private put(id: string, end: End): void {
    this.ends.delete(id);
    if (this.ends.size >= this.maxIds) {
      const [oldest] = this.ends.keys();
      if (oldest !== undefined) this.ends.delete(oldest);
    }
    this.ends.set(id, end);
  }
}

const fullWindows = new FullWindows();
