import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "./rows";

const POLL_MS = 10;

/**
 * Holds a row, a message's unless another table is named, while `during` runs, and lets it go after it. Who wants the
 * row waits in the order of coming: `queued(n)` resolves when n do.
 */
export const whileLocked = async <T>(
  id: string,
  during: (queued: (count: number) => Promise<void>) => Promise<T>,
  table: "messages" | "api_keys" | "contacts" | "rate_windows" = "messages",
  /** Rows that only refer to it do not wait for `no key update`. */
  strength: "update" | "no key update" = "update",
): Promise<T> => {
  return (await sql.begin(async (tx): Promise<T> => {
    const [holder] = await tx<{ pid: number }[]>`
      select pg_backend_pid() as pid from ${tx(table)} where id = ${id} for ${tx.unsafe(strength)}`;
    return during(async (count) => {
      while ((await countQueued(holder?.pid ?? 0)) < count) await sleep(POLL_MS);
    });
  })) as T;
};

/** The second in a queue waits for the first, and not for the holder. */
const countQueued = async (holder: number): Promise<number> => {
  const [queue] = await sql<{ count: number }[]>`
    with recursive queued(pid) as (
      select pid from pg_stat_activity where ${holder} = any(pg_blocking_pids(pid))
      union
      select next.pid from pg_stat_activity next join queued on queued.pid = any(pg_blocking_pids(next.pid))
    )
    select count(*)::int as count from queued`;
  return queue?.count ?? 0;
};
