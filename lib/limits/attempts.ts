import { onSql } from "@/db/raw-sql";
import { batcher } from "@/lib/core/batcher";
import { addedToWindow, bucketNow, queueCount, windowResetInMs, writeCounts } from "./limiter";

/** What attempts are counted by, and the most in 15 minutes. */
export type AttemptWindow = { id: string; limit: number };

/** A counted attempt; `endsAtMs` is the end of its window, on this process's monotonic clock. */
export type Taken = { id: string; endsAtMs: number };

type Count = { id: string; used: number; resetInMs: number };

/**
 * Counts one attempt in each window, or in none if one is full: then it returns in how many milliseconds
 * that window ends. A full window is read without a lock. Exact across processes, because the database counts.
 */
export async function takeAttempt(windows: AttemptWindow[]): Promise<{ taken: Taken[] } | { fullForMs: number }> {
  const ids = windows.map(({ id }) => id);
  const seen = await look(ids);
  const full = windows.flatMap(({ id, limit }) => seen.filter((count) => count.id === id && count.used >= limit));
  if (full.length > 0) return { fullForMs: Math.max(...full.map(({ resetInMs }) => resetInMs)) };
  const counted = await take(ids);
  const taken = counted.map(({ id, resetInMs }) => ({ id, endsAtMs: performance.now() + resetInMs }));
  const over = windows.flatMap(({ id, limit }) => counted.filter((count) => count.id === id && count.used > limit));
  if (over.length === 0) return { taken };
  // Others filled the window between the read and the count: this attempt is refused and not counted.
  void giveBack(taken);
  return { fullForMs: Math.max(...over.map(({ resetInMs }) => resetInMs)) };
}

/** Counts attempts back, as long as their windows last. Never rejects. */
export function giveBack(taken: Taken[], count = 1): Promise<void> {
  for (const { id, endsAtMs } of taken) queueCount(id, endsAtMs, -count);
  return writeCounts();
}

// Each with one connection at most, whatever many strangers do at once: other limits share the pool.

const look = batcher(async (asked: string[][]): Promise<Count[][]> => {
  const ids = JSON.stringify([...new Set(asked.flat())]);
  const rows = await onSql(
    (sql) => sql<Count[]>`
        select w.id, w.used, ${windowResetInMs(sql)} as "resetInMs" from rate_windows w
        where w.bucket = ${bucketNow(sql)} and w.id in (select json_array_elements_text(${ids}::text::json))`,
    { pool: "limits" },
  );
  const counts = new Map(rows.map((row) => [row.id, row]));
  return asked.map((wanted) => wanted.flatMap((id) => counts.get(id) ?? []));
});

/** Ordered by id, so that two processes cannot deadlock. */
const take = batcher(async (asked: string[][]): Promise<Count[][]> => {
  const wanted = new Map<string, number>();
  for (const id of asked.flat()) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  const rows = await onSql(
    (sql) => sql<Count[]>`
        insert into rate_windows as w (id, bucket, used)
        select given.id, ${bucketNow(sql)}, given.used
        from json_to_recordset(${JSON.stringify([...wanted].map(([id, used]) => ({ id, used })))}::text::json)
          as given (id text, used int)
        order by given.id ${addedToWindow(sql)}
        returning w.id, w.used, ${windowResetInMs(sql)} as "resetInMs"`,
    { pool: "limits" },
  );
  // Attempts of a batch were counted together: give each its own count, in order.
  const counts = new Map(rows.map((row) => [row.id, { ...row, used: row.used - (wanted.get(row.id) ?? 0) }]));
  return asked.map((ids) =>
    ids.flatMap((id) => {
      const count = counts.get(id);
      if (!count) return [];
      count.used += 1;
      return { ...count };
    }),
  );
});
