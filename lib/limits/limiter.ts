import { Redis, type Requester } from "@upstash/redis";
import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { batcher } from "@/lib/core/batcher";
import { env } from "@/lib/core/env";
import { fetchHost } from "@/lib/core/host-lookup";
import { errorFields, log } from "@/lib/core/log";
import { setNewest } from "@/lib/core/process-wide";
import { limitOf, type RateLimitScope, type RateLimitState, WINDOW_MS } from "./rate-limit";
import { upstashLimit } from "./upstash-limit";

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
export function findExhaustedLimit(scope: RateLimitScope, id: string): RateLimitState | undefined {
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

function openStore(): { take: TakeFromUpstash | undefined } {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = env();
  if (!url || !token) return { take: undefined };
  const redis = new Redis(requester(url, token));
  const takeOf = (scope: RateLimitScope) =>
    upstashLimit(redis, { prefix: `rl:${scope}`, limit: limitOf(scope), windowMs: WINDOW_MS });
  const takes = { ip: takeOf("ip"), key: takeOf("key") };
  return { take: async (scope, id) => ({ scope, limit: limitOf(scope), ...(await takes[scope](id)) }) };
}

/** Calls wait for less (`withinStoreDeadline`); this one ends the request itself. */
const REQUEST_TIMEOUT_MS = 5_000;

/** In place of the library's own, which uses the global `fetch` and so the system's unbounded look-ups. */
const requester = (url: string, token: string): Requester => ({
  request: async ({ body }) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await fetchHost(url, { method: "POST", headers, body: JSON.stringify(body), signal });
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
    const sureUntil = { monotonicMs: asked.monotonicMs + sureMs, wallMs: asked.wallMs + sureMs };
    setNewest(this.ends, id, { sureUntil, overAtMs: answered.monotonicMs + resetInMs }, this.maxIds);
  }

  /** Returns the milliseconds left in the window if its limit is certainly still used up. */
  resetInMs(id: string, now: Instant): number | undefined {
    const end = this.ends.get(id);
    if (!end) return undefined;
    if (now.monotonicMs >= end.sureUntil.monotonicMs || now.wallMs >= end.sureUntil.wallMs) {
      this.ends.delete(id);
      return undefined;
    }
    setNewest(this.ends, id, end, this.maxIds);
    return end.overAtMs - now.monotonicMs;
  }
}

const fullWindows = new FullWindows();

export type Count = { used: number; resetInMs: number };

/** The current window, on the database's clock. */
export function bucketNow(sql: Sql) {
  return sql`floor(extract(epoch from clock_timestamp()) * 1000 / ${WINDOW_MS}::bigint)::bigint`;
}

/**
 * The ON CONFLICT clause of an insert into `rate_windows as w`: adds to the open one. A statement that waited for the
 * row while a new window began counts in the new one.
 */
export function addedToWindow(sql: Sql) {
  return sql`
  on conflict (id) do update set
    bucket = case when w.bucket = excluded.bucket + 1 then w.bucket else excluded.bucket end,
    used = case when w.bucket in (excluded.bucket, excluded.bucket + 1) then w.used else 0 end + excluded.used`;
}

/** Time left in the window of row `w`. A duration, because this machine's clock may differ from the database's. */
export function windowResetInMs(sql: Sql) {
  return sql`((w.bucket + 1) * ${WINDOW_MS}::bigint - floor(extract(epoch from clock_timestamp()) * 1000))::float8`;
}

/** Adds `count`, which may be negative, to the current window of `id`. If the next one has begun, there is nothing to add. */
const addToWindow = (id: string, count: number) =>
  onSql(
    (sql) => sql`
      insert into rate_windows as w (id, bucket, used) values (${id}, ${bucketNow(sql)}, greatest(0, ${count}::int))
      on conflict (id) do update set bucket = excluded.bucket,
        used = greatest(0, case when w.bucket = excluded.bucket then w.used else 0 end + ${count}::int)
      where w.bucket <= excluded.bucket`,
    { pool: "limits" },
  );

const WRITE_EVERY_MS = 1_000;
const MAX_IDS = 10_000;

const queued = new Map<string, { count: number; endsAtMs: number }>();
let isScheduled = false;
let nextAtMs = 0;

/**
 * Adds to the count of `id` (negative: refunds) and writes it within a second, so the response waits for no statement. The
 * window ends at `endsAtMs` of the monotonic clock: what is not written by then is forgotten with it, as it would count in
 * the next one. False where too many wait.
 */
export function queueCount(id: string, endsAtMs: number, count = 1): boolean {
  const before = queued.get(id);
  if (!before && queued.size >= MAX_IDS) return false;
  const isOpen = before !== undefined && before.endsAtMs > performance.now();
  queued.set(id, { count: count + (isOpen ? before.count : 0), endsAtMs });
  writeSoon();
  return true;
}

/** Writes what is counted so far, on one connection. Never rejects: what the database does not take now is tried again. */
export function writeCounts(): Promise<void> {
  return write();
}

function writeSoon() {
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    void write();
  }, WRITE_EVERY_MS).unref();
}

async function writeAll(): Promise<void> {
  if (performance.now() < nextAtMs) return writeSoon();
  for (const [id, { count, endsAtMs }] of queued) {
    queued.delete(id);
    if (endsAtMs <= performance.now()) continue;
    try {
      await addToWindow(id, count);
    } catch (error) {
      log("warn", "limiter.counts-wait", errorFields(error));
      nextAtMs = performance.now() + WRITE_EVERY_MS;
      queued.set(id, { count: count + (queued.get(id)?.count ?? 0), endsAtMs });
      return writeSoon();
    }
  }
}

const write = batcher<void, void>(async (calls) => {
  await writeAll();
  return calls;
});
