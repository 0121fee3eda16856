import type { Fragment, Sql } from "postgres";
import { isOneOfMany, onSql, readInstant, readRows } from "@/db/raw-sql";
import type { Mode } from "@/lib/core/principal";

/** 15 minutes of UTC in a workspace and mode, identified by their start. */
export type Quarter = { workspaceId: string; mode: Mode; startsAt: Date };

const ON_RECORDS = { pool: "records" } as const;
/** By then every send is settled, with or without a response from WhatsApp. */
const SETTLED_AFTER_SECONDS = 300;

/** `since` is a constant: for a subquery the planner would assume that a third of all rows match. */
export function listChangedQuarters(since: Date): Promise<Quarter[]> {
  return onSql((sql) => {
    const from = sql`${since.toISOString()}::timestamptz`;
    const isOfOne = (rows: "m" | "r") => isOneOfMany(sql, sql`${sql(rows)}.workspace_id`, sql`w.id`);
    const rows = sql<QuarterRow[]>`
      with touched as (
        select m.workspace_id, m.mode, m.created_at
        from workspaces w cross join lateral (
          select m.workspace_id, m.mode, m.created_at from messages m
          where ${isOfOne("m")} and m.created_at >= ${from} - make_interval(secs => ${SETTLED_AFTER_SECONDS}) offset 0
        ) m
        union all
        select m.workspace_id, m.mode, m.created_at
        from status_events e cross join lateral (${messageOf(sql, sql`e`)}) m
        where e.received_at >= ${from}
        union all
        select m.workspace_id, m.mode, m.created_at
        from workspaces w cross join lateral (
          select r.workspace_id, r.message_id from api_requests r
          where ${isOfOne("r")} and r.at >= ${from} and r.message_id is not null
            and r.operation = 'send' and not r.is_replay and r.status <> 409
          offset 0
        ) r cross join lateral (${messageOf(sql, sql`r`)}) m
      )
      select distinct workspace_id as "workspaceId", mode, ${quarterOf(sql, sql`created_at`)} as "startsAt" from touched`;
    return readRows(rows, toQuarter);
  }, ON_RECORDS);
}

/**
 * Lists uncounted quarters of workspaces whose first message is uncounted, until their first pass is done. Skips from
 * quarter to quarter, so the cost depends on quarters, not messages.
 */
export function listUncountedQuarters(): Promise<Quarter[]> {
  return onSql((sql) => {
    const rows = sql<QuarterRow[]>`
      with recursive quarters as (
        select at.id, at.starts_at
        from workspaces w
        join lateral (
          select w.id, mode, ${quarterOf(sql, sql`created_at`)} as starts_at
          from messages where workspace_id = w.id order by created_at, id limit 1
        ) at on ${isUncounted(sql)}
        union all
        select q.id, ${quarterOf(sql, sql`next.created_at`)}
        from quarters q
        join lateral (
          select created_at from messages
          where workspace_id = q.id and created_at >= q.starts_at + interval '15 minutes' order by created_at, id limit 1
        ) next on true
      )
      select at.id as "workspaceId", at.mode, at.starts_at as "startsAt"
      from (select * from quarters, unnest(enum_range(null::mode)) as mode) as at
      where ${isUncounted(sql)}`;
    return readRows(rows, toQuarter);
  }, ON_RECORDS);
}

/** By key, row by row: with old statistics a join reads all messages. */
const messageOf = (sql: Sql, row: Fragment) => sql`
  select m.workspace_id, m.mode, m.created_at from messages m
  where m.workspace_id = ${row}.workspace_id and m.id = ${row}.message_id limit 1`;

// A parameter, so that a statement is planned for the tables as they are: without one its first plan stays.
const QUARTER = "15 minutes";

const quarterOf = (sql: Sql, at: ReturnType<Sql>) => sql`date_bin(${QUARTER}::text::interval, ${at}, 'epoch')`;

const isUncounted = (sql: Sql) => sql`not exists (
  select from messages_by_quarter q
  where ${isOneOfMany(sql, sql`q.workspace_id`, sql`at.id`)} and q.mode = at.mode and q.starts_at = at.starts_at offset 0)`;

type QuarterRow = Omit<Quarter, "startsAt"> & { startsAt: string };

const toQuarter = ({ startsAt, ...row }: QuarterRow): Quarter => ({ ...row, startsAt: readInstant(startsAt) });
