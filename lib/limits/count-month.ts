import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseUnavailable, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import { thisMonth } from "./quota";

/** The monthly limit before and after a change; null means no limit. */
export type LimitChange = { from: number | null; to: number | null };

const HIGHEST_LIMIT = 2_147_483_647;

/** Runs and commits a transaction. */
type Transact = (work: (tx: Transaction) => Promise<void>) => Promise<void>;

/** Statements time out after 2.2 s (db/connect.ts), so none that began before the row existed still runs. */
const STATEMENTS_END_WITHIN_MS = 3_000;

/**
 * Must be called before a transaction that sets the first limit of unlimited workspaces: once it returns, every
 * statement that uses or returns quota updates the month's row, and `countMonth` can rely on it. Takes 3 s, without
 * a lock: a table lock would block the sends of all workspaces.
 */
export async function startCounting(transact: Transact, ids: readonly WorkspaceId[]): Promise<void> {
  if (ids.length === 0) return;
  await transact(async (tx) => {
    const sql = rawSql(tx);
    await sql`
      insert into usage (workspace_id, month, used, message_limit)
      select id, ${thisMonth(sql)}, 0, ${HIGHEST_LIMIT} from workspaces where id in ${sql(ids.toSorted())} order by id
      on conflict (workspace_id, month) do update set message_limit = excluded.message_limit`;
  });
  await sleep(STATEMENTS_END_WITHIN_MS);
}

/** Counts the month's messages, in the transaction that changes the limit. Without a limit, the row is unused. */
export async function countMonth(tx: Transaction, workspaceId: WorkspaceId, change: LimitChange): Promise<void> {
  const sql = rawSql(tx);
  const month = thisMonth(sql);
  const isThis = sql`workspace_id = ${workspaceId} and month = ${month}`;
  if (change.to === null) await sql`update usage set message_limit = null where ${isThis}`;
  if (!isFirstLimit(change)) return;
  await sql`set local statement_timeout = '20s'`;
  // Lock first: concurrent takers of units wait, so their messages are not committed yet and not counted twice.
  const [row] = await sql`select from usage where ${isThis} and message_limit is not null for no key update`;
  if (!row) throw new DatabaseUnavailable("another change of the limit came between", { hadNoEffect: true });
  // A message of the previous month may have been retried in this one.
  await sql`
    update usage set used = held.units, message_limit = greatest(${change.to}::int, held.units)
    from (
      select count(*)::int as units from messages
      where workspace_id = ${workspaceId} and unit_month = ${month} and created_at >= ${month} - interval '1 month'
    ) held
    where ${isThis}`;
}

export function isFirstLimit({ from, to }: LimitChange): boolean {
  return from === null && to !== null;
}
