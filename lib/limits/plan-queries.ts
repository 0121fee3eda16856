import type { PendingQuery, Row, Sql } from "postgres";
import { onSql, readInstant } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import { thisMonth } from "./quota";

/** The messages of the current month (UTC) that count against the plan, and when the next month begins (ISO 8601). */
export type Units = { used: number; resetsAt: string };

/** Exact with a limit. Without one, sends are not counted: it comes from roll-ups, without failed messages. */
export function getUnits(workspaceId: WorkspaceId, monthlyLimit: number | null): Promise<Units> {
  return readUnits((sql) =>
    monthlyLimit === null
      ? sql`
          select sum(count)::int from (
            select status, count from messages_by_day
            where workspace_id = ${workspaceId} and mode = 'live' and starts_at >= month_begins
            union all
            -- Of the day in which the month begins.
            select status, count from messages_by_quarter
            where workspace_id = ${workspaceId} and mode = 'live' and starts_at >= month_begins and starts_at < coalesce((
              select starts_at from messages_by_day
              where workspace_id = ${workspaceId} and mode = 'live' and starts_at >= month_begins order by starts_at limit 1
            ), 'infinity')
          ) as counted
          where status <> 'FAILED'`
      : sql`select used from usage where workspace_id = ${workspaceId} and month = this_month`,
  );
}

/** The same for a key with a monthly cap. */
export function getKeyUnits(workspaceId: WorkspaceId, apiKeyId: string): Promise<Units> {
  return readUnits(
    (sql) => sql`
      select used from key_usage where workspace_id = ${workspaceId} and api_key_id = ${apiKeyId} and month = this_month`,
  );
}

/** `used` is a query that may name `this_month` and when it begins. */
async function readUnits(used: (sql: Sql) => PendingQuery<Row[]>): Promise<Units> {
  const [row] = await onSql(
    (sql) => sql<{ used: number; resets_at: string }[]>`
      select coalesce((${used(sql)}), 0) as used, (this_month + interval '1 month') at time zone 'utc' as resets_at
      from (select ${thisMonth(sql)} as this_month) as month
        cross join lateral (select this_month::timestamp at time zone 'utc' as month_begins) as instant`,
  );
  if (!row) throw new Error("a select without a table returns one row");
  return { used: row.used, resetsAt: readInstant(row.resets_at).toISOString() };
}
