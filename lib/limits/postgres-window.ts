import { eq, sql } from "drizzle-orm";
import type { Sql } from "postgres";
import { onDatabase, prepared } from "@/db/client";
import { rateWindows } from "@/db/schema";
import { WINDOW_MS } from "./policies";

export type Count = { used: number; resetInMs: number };

/** The window that is open, on the database's clock. */
export function bucketNow(sql: Sql) {
  return sql`floor(extract(epoch from clock_timestamp()) * 1000 / ${WINDOW_MS}::bigint)::bigint`;
}

/**
 * Ends an insert into `rate_windows as w`, and adds to the window that is there already. A statement that waited for the
 * row while a new window began is counted in the new one.
 */
export function addedToWindow(sql: Sql) {
  return sql`
  on conflict (id) do update set
    bucket = case when w.bucket = excluded.bucket + 1 then w.bucket else excluded.bucket end,
    used = case when w.bucket in (excluded.bucket, excluded.bucket + 1) then w.used else 0 end + excluded.used`;
}

/** Of the row `w`. A span and not an instant: this machine's clock may differ from the database's. */
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
export async function takeFromWindow(id: string, rate: number, windowMs: number): Promise<Count> {
  const [count] = await onDatabase((db) => upsert(db).execute({ id, rate, windowMs }), { pool: "limits" });
  if (!count) throw new Error("an upsert returns its row");
  return count;
}

/** As if nothing had been taken of `id` in this window. */
export async function giveBackAll(id: string): Promise<void> {
  await onDatabase((db) => db.delete(rateWindows).where(eq(rateWindows.id, id)), { pool: "limits" });
}
