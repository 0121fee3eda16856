import { eq, sql } from "drizzle-orm";
import type { Sql } from "postgres";
import { onDatabase, prepared } from "@/db/client";
import { rateWindows } from "@/db/schema";
import { batcher } from "@/lib/core/batcher";
import { errorFields, log } from "@/lib/core/log";
import { WINDOW_MS } from "./rate-limit";

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

const currentBucket = sql`floor(extract(epoch from clock_timestamp()) * 1000 / ${sql.placeholder("windowMs")}::bigint)::bigint`;

const rate = sql`${sql.placeholder("rate")}::int`;

const upsert = prepared((db) =>
  db
    .insert(rateWindows)
    .values({ id: sql.placeholder("id"), bucket: currentBucket, used: sql`greatest(0, ${rate})` })
    .onConflictDoUpdate({
      target: rateWindows.id,
      set: {
        bucket: sql`excluded.bucket`,
        // If the next window has begun, nothing was taken from it, so nothing is returned to it.
        used: sql`greatest(0, case when ${rateWindows.bucket} = excluded.bucket then ${rateWindows.used} else 0 end + ${rate})`,
      },
    })
    .returning({
      used: rateWindows.used,
      // A duration, because this machine's clock may differ from the database's.
      resetInMs: sql<number>`((${rateWindows.bucket} + 1) * ${sql.placeholder("windowMs")}::bigint - floor(extract(epoch from clock_timestamp()) * 1000))::float8`,
    })
    .prepare("rate_window"),
);

/** Adds `rate`, which may be negative, to the current window of `id` and returns the new count. */
export async function takeFromWindow(id: string, rate: number, windowMs: number): Promise<Count> {
  const [count] = await onDatabase((db) => upsert(db).execute({ id, rate, windowMs }), { pool: "limits" });
  if (!count) throw new Error("an upsert returns its row");
  return count;
}

/** Resets the current window of `id`. */
export async function giveBackAll(id: string): Promise<void> {
  await onDatabase((db) => db.delete(rateWindows).where(eq(rateWindows.id, id)), { pool: "limits" });
}

const WRITE_EVERY_MS = 1_000;
const MOST_IDS = 10_000;

const owed = new Map<string, { count: number; endsAtMs: number }>();
let isWaiting = false;
let nextAtMs = 0;

/**
 * Counts requests in the window of `id` within a second, or counts them back, for an answer that needs no statement. The
 * window ends at `endsAtMs` of the monotonic clock: what is not written by then is forgotten with it, as it would count in
 * the next one. False where too many wait.
 */
export function countLater(id: string, endsAtMs: number, count = 1): boolean {
  const before = owed.get(id);
  if (!before && owed.size >= MOST_IDS) return false;
  owed.set(id, { count: count + (before?.count ?? 0), endsAtMs });
  writeSoon();
  return true;
}

/** Writes what is counted so far. Never rejects: what the database does not take now is tried again. */
export function writeCounts(): Promise<void> {
  return write();
}

const writeSoon = () => {
  if (isWaiting) return;
  isWaiting = true;
  setTimeout(() => {
    isWaiting = false;
    void write();
  }, WRITE_EVERY_MS).unref();
};

const writeAll = async (): Promise<void> => {
  if (performance.now() < nextAtMs) return writeSoon();
  for (const [id, { count, endsAtMs }] of owed) {
    owed.delete(id);
    if (endsAtMs <= performance.now()) continue;
    try {
      await takeFromWindow(id, count, WINDOW_MS);
    } catch (error) {
      log("warn", "limiter.counts-wait", errorFields(error));
      nextAtMs = performance.now() + WRITE_EVERY_MS;
      owed.set(id, { count: count + (owed.get(id)?.count ?? 0), endsAtMs });
      return writeSoon();
    }
  }
};

/** Runs repayments one at a time, on one connection. */
const write = batcher<void, void>(async (calls) => {
  await writeAll();
  return calls;
});
