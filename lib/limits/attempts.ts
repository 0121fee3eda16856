import { onSql } from "@/db/raw-sql";
import { batcher } from "@/lib/core/batcher";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { WINDOW_MS } from "./policies";
import { bucketNow, takeFromWindow, windowResetInMs } from "./postgres-window";

/** What attempts are counted by, and how many of them 15 minutes may have. */
export type AttemptWindow = { id: string; limit: number };

/** An attempt as a window has counted it; `endsAtMs` is the window's end, on this process's monotonic clock. */
export type Taken = { id: string; endsAtMs: number };

type Count = { id: string; used: number; resetInMs: number };

/**
 * Counts one attempt in each of the windows, or in none of them where one is full: then it says in how many milliseconds
 * that window ends. A full window is read without a lock. Exact across processes: the database counts.
 */
export async function takeAttempt(windows: AttemptWindow[]): Promise<{ taken: Taken[] } | { fullForMs: number }> {
  const ids = windows.map(({ id }) => id);
  const seen = await ways().look(ids);
  const full = windows.flatMap(({ id, limit }) => seen.filter((count) => count.id === id && count.used >= limit));
  if (full.length > 0) return { fullForMs: Math.max(...full.map(({ resetInMs }) => resetInMs)) };
  const counted = await ways().take(ids);
  const taken = counted.map(({ id, resetInMs }) => ({ id, endsAtMs: performance.now() + resetInMs }));
  const over = windows.flatMap(({ id, limit }) => counted.filter((count) => count.id === id && count.used > limit));
  if (over.length === 0) return { taken };
  // What others took between the look and the count: this one is refused, so that it was none.
  void giveBack(taken);
  return { fullForMs: Math.max(...over.map(({ resetInMs }) => resetInMs)) };
}

/**
 * Counts attempts back, as long as their windows last. Never rejects: what the database does not take now is tried again.
 */
export async function giveBack(taken: Taken[], count = 1): Promise<void> {
  for (const { id, endsAtMs } of taken) {
    owed().set(id, { count: count + (owed().get(id)?.count ?? 0), endsAtMs });
  }
  await repay();
}

const TRY_AGAIN_AFTER_MS = 1_000;

/** Attempts that are to be counted back, by window. */
const owed = () => processWide("owed-attempts", () => new Map<string, { count: number; endsAtMs: number }>());
const repayment = processWide("attempt-repayment", () => ({ last: Promise.resolve(), nextAtMs: 0 }));

/** One after the other, on one connection. */
const repay = (): Promise<void> => {
  repayment.last = repayment.last.then(repayAll);
  return repayment.last;
};

const repayAll = async (): Promise<void> => {
  if (performance.now() < repayment.nextAtMs) return;
  for (const [id, { count, endsAtMs }] of owed()) {
    owed().delete(id);
    // In the next window it would be taken from attempts that others make there.
    if (endsAtMs <= performance.now()) continue;
    try {
      await takeFromWindow(id, -count, WINDOW_MS);
    } catch (error) {
      log("warn", "attempts.notGivenBack", errorFields(error));
      owed().set(id, { count: count + (owed().get(id)?.count ?? 0), endsAtMs });
      repayment.nextAtMs = performance.now() + TRY_AGAIN_AFTER_MS;
      setTimeout(() => void repay(), TRY_AGAIN_AFTER_MS + 1).unref();
      return;
    }
  }
};

/** Each with one connection at most, whatever many strangers do at once: the API's limits share the pool. */
const ways = () =>
  processWide("attempt-windows", () => ({
    look: batcher<string[], Count[]>(look),
    take: batcher<string[], Count[]>(take),
  }));

const look = async (asked: string[][]): Promise<Count[][]> => {
  const ids = JSON.stringify([...new Set(asked.flat())]);
  const rows = await onSql(
    (sql) => sql<Count[]>`
        select w.id, w.used, ${windowResetInMs(sql)} as "resetInMs" from rate_windows w
        where w.bucket = ${bucketNow(sql)} and w.id in (select json_array_elements_text(${ids}::text::json))`,
    { pool: "limits" },
  );
  const counts = new Map(rows.map((row) => [row.id, row]));
  return asked.map((wanted) => wanted.flatMap((id) => counts.get(id) ?? []));
};

/** In the order of the ids, so that two processes cannot deadlock. */
const take = async (asked: string[][]): Promise<Count[][]> => {
  const wanted = new Map<string, number>();
  for (const id of asked.flat()) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  const rows = await onSql(
    (sql) => sql<Count[]>`
        insert into rate_windows as w (id, bucket, used)
        select given.id, ${bucketNow(sql)}, given.used
        from json_to_recordset(${JSON.stringify([...wanted].map(([id, used]) => ({ id, used })))}::text::json)
          as given (id text, used int)
        order by given.id
        on conflict (id) do update set bucket = excluded.bucket,
          used = case when w.bucket = excluded.bucket then w.used else 0 end + excluded.used
        returning w.id, w.used, ${windowResetInMs(sql)} as "resetInMs"`,
    { pool: "limits" },
  );
  // Those who came together were counted together: the first of them is the first to have been counted.
  const counts = new Map(rows.map((row) => [row.id, { ...row, used: row.used - (wanted.get(row.id) ?? 0) }]));
  return asked.map((ids) =>
    ids.flatMap((id) => {
      const count = counts.get(id);
      if (!count) return [];
      count.used += 1;
      return { ...count };
    }),
  );
};
