import { eq, sql } from "drizzle-orm";
import { answeredBy, onDatabase, patienceMs, prepared } from "@/db/client";
import { rateWindows } from "@/db/schema";

export type Count = { used: number; resetInMs: number };
type Taker = { resolve: (count: Count) => void; reject: (error: unknown) => void };

/**
 * Counts requests in windows that Postgres keeps: exact across processes, on the database's clock. Requests of one id
 * that arrive together are counted by one statement, so that a burst from one address costs one row lock and not
 * hundreds. Rejects with DatabaseUnavailable where a request is not counted in its time, its wait for others included.
 */
export const sharedWindow = (windowMs: number) => {
  const waiting = new Map<string, Set<Taker>>();

  const drain = async (id: string) => {
    for (let batch = waiting.get(id); batch && batch.size > 0; batch = waiting.get(id)) {
      waiting.set(id, new Set());
      const { size } = batch;
      try {
        const counted = await takeFromWindow(id, size, windowMs);
        let used = counted.used - size;
        for (const { resolve } of batch) {
          used += 1;
          resolve({ ...counted, used });
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    waiting.delete(id);
  };

  const join = (id: string, taker: Taker) => {
    const others = waiting.get(id);
    if (others) return void others.add(taker);
    waiting.set(id, new Set([taker]));
    void drain(id);
  };

  return (id: string, { byMs }: { byMs: number }): Promise<Count> => {
    let leave = () => {};
    const count = new Promise<Count>((resolve, reject) => {
      const taker = { resolve, reject };
      join(id, taker);
      // A request that gave up before its turn is not counted.
      leave = () => void waiting.get(id)?.delete(taker);
    });
    return answeredBy(Math.min(byMs, performance.now() + patienceMs()), count).finally(leave);
  };
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
