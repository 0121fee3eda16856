import type { Sql } from "postgres";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import type { Mode } from "@/db/schema";

/** An hour in the workspace's time zone, identified by its start. */
export type Hour = { workspaceId: string; mode: Mode; hour: Date; timeZone: string };

const ON_RECORDS = { pool: "records" } as const;
/** By then every send is settled, with or without a response from WhatsApp. */
const SETTLED_AFTER_SECONDS = 300;

/** `since` is a constant: for a subquery the planner would assume that a third of all rows match. */
export function listChangedHours(since: Date): Promise<Hour[]> {
  return onSql((sql) => {
    const from = sql`${since.toISOString()}::timestamptz`;
    const rows = sql<HourRow[]>`
      with touched as (
        select m.workspace_id, m.mode, m.created_at
        from workspaces w
        join messages m on m.workspace_id = w.id and m.created_at >= ${from} - make_interval(secs => ${SETTLED_AFTER_SECONDS})
        union all
        select m.workspace_id, m.mode, m.created_at
        from status_events e
        join messages m on m.workspace_id = e.workspace_id and m.id = e.message_id
        where e.received_at >= ${from}
        union all
        select m.workspace_id, m.mode, m.created_at
        from workspaces w
        join api_requests r on r.workspace_id = w.id and r.at >= ${from} and r.message_id is not null
          and r.operation = 'send' and not r.is_replay and r.status <> 409
        join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
      ), hours as (
        select distinct t.workspace_id, t.mode, date_trunc('hour', t.created_at, w.time_zone) as hour, w.time_zone
        from touched t join workspaces w on w.id = t.workspace_id
      )
      select workspace_id as "workspaceId", mode, hour, time_zone as "timeZone" from hours`;
    return readRows(rows, toHour);
  }, ON_RECORDS);
}

/** Lists workspaces that are new, or whose time zone has changed since their hours and days were counted. */
export async function listMovedWorkspaces(): Promise<string[]> {
  const rows = await onSql(
    (sql) => sql<{ id: string }[]>`select id from workspaces where counted_time_zone is distinct from time_zone`,
    ON_RECORDS,
  );
  return rows.map(({ id }) => id);
}

/**
 * Lists uncounted hours of workspaces whose first message is uncounted: until their first pass is done, and after a
 * time zone change moved their hours. Skips from hour to hour, so the cost depends on hours, not messages.
 */
export function listUncountedHours(): Promise<Hour[]> {
  return onSql((sql) => {
    const rows = sql<HourRow[]>`
      with recursive hours as (
        select at.id, at.time_zone, at.hour
        from workspaces w
        join lateral (
          select w.id, w.time_zone, mode, date_trunc('hour', created_at, w.time_zone) as hour
          from messages where workspace_id = w.id order by created_at, id limit 1
        ) at on ${isUncounted(sql)}
        union all
        select h.id, h.time_zone, date_trunc('hour', next.created_at, h.time_zone)
        from hours h
        join lateral (
          select created_at from messages
          where workspace_id = h.id and created_at >= h.hour + interval '1 hour' order by created_at, id limit 1
        ) next on true
      )
      select at.id as "workspaceId", at.mode, at.hour, at.time_zone as "timeZone"
      from (select * from hours, unnest(enum_range(null::mode)) as mode) as at
      where ${isUncounted(sql)}`;
    return readRows(rows, toHour);
  }, ON_RECORDS);
}

const isUncounted = (sql: Sql) => sql`(
  not exists (select from message_hours h where h.workspace_id = at.id and h.mode = at.mode and h.hour = at.hour)
  or not exists (
    select from message_days d
    where d.workspace_id = at.id and d.mode = at.mode and d.day = date_trunc('day', at.hour, at.time_zone)))`;

type HourRow = Omit<Hour, "hour"> & { hour: string };

const toHour = ({ hour, ...row }: HourRow): Hour => ({ ...row, hour: readInstant(hour) });
