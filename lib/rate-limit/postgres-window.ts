import type { Algorithm, RatelimitConfig } from "@upstash/ratelimit";
import { eq, sql } from "drizzle-orm";
import { onDatabase, prepared } from "@/db/client";
import { rateWindows } from "@/db/schema";

type Region = RatelimitConfig["limiter"] extends Algorithm<infer Context> ? Context : never;
export type Count = { used: number; resetInMs: number };
type Waiting = { rate: number; resolve: (count: Count) => void; reject: (error: unknown) => void };

/**
 * A fixed window kept in Postgres: exact across processes, on the database's clock. Takers of one id that arrive
 * together are counted by one statement, so that a burst from one address costs one row lock and not hundreds.
 */
export const postgresWindow = (tokens: number, windowMs: number): Algorithm<Region> => {
  const waiting = new Map<string, Waiting[]>();

  const take = (id: string, rate: number) =>
    new Promise<Count>((resolve, reject) => {
      const queue = waiting.get(id);
      if (queue) return void queue.push({ rate, resolve, reject });
      waiting.set(id, [{ rate, resolve, reject }]);
      void drain(id);
    });

  const drain = async (id: string) => {
    for (let batch = waiting.get(id) ?? []; batch.length > 0; batch = waiting.get(id) ?? []) {
      waiting.set(id, []);
      try {
        const total = batch.reduce((sum, { rate }) => sum + rate, 0);
        const counted = await takeFromWindow(id, total, windowMs);
        let used = counted.used - total;
        for (const taker of batch) {
          used += taker.rate;
          taker.resolve({ ...counted, used });
        }
      } catch (error) {
        for (const taker of batch) taker.reject(error);
      }
    }
    waiting.delete(id);
  };

  return () => ({
    async limit(_region, id, rate = 1) {
      const { used, resetInMs } = await take(id, rate);
      return {
        success: used <= tokens,
        limit: tokens,
        remaining: Math.max(0, tokens - used),
        reset: Date.now() + resetInMs,
        pending: Promise.resolve(),
      };
    },
    async getRemaining(_region, id) {
      const { used, resetInMs } = await takeFromWindow(id, 0, windowMs);
      return { remaining: Math.max(0, tokens - used), reset: Date.now() + resetInMs, limit: tokens };
    },
    async resetTokens(_region, id) {
      await giveBackAll(id);
    },
  });
};

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
        // What is given back when the next window has begun was not taken from that one.
        used: sql`greatest(0, case when ${rateWindows.bucket} = excluded.bucket then ${rateWindows.used} else 0 end + ${rate})`,
      },
    })
    .returning({
      used: rateWindows.used,
      // A span and not an instant: this machine's clock may differ from the database's.
      resetInMs: sql<number>`((${rateWindows.bucket} + 1) * ${sql.placeholder("windowMs")}::bigint - floor(extract(epoch from clock_timestamp()) * 1000))::float8`,
    })
    .prepare("rate_window"),
);

/** Counts `rate` more in the current window of `id`, or less where it is negative, and says how many there are now. */
export const takeFromWindow = async (id: string, rate: number, windowMs: number): Promise<Count> => {
  const [count] = await onDatabase((db) => upsert(db).execute({ id, rate, windowMs }), { pool: "limits" });
  if (!count) throw new Error("an upsert answers with its row");
  return count;
};

/** As if nothing had been taken of `id` in this window. */
export const giveBackAll = async (id: string): Promise<void> => {
  await onDatabase((db) => db.delete(rateWindows).where(eq(rateWindows.id, id)), { pool: "limits" });
};
