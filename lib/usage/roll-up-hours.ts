import { sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { durationHours, type Mode, messageHours, messages, rollUpMarks } from "@/db/schema";
import { BUCKETS_PER_DOUBLING, LAST_BUCKET } from "./duration-scale";

/** An hour of a workspace's own clock, named by its beginning. */
type Hour = { workspaceId: string; mode: Mode; hour: Date };

const MARK = "messages";
/** Commits of writes that began before the last pass may come after it. */
const OVERLAP_SECONDS = 15;
// Beside the requests' connections: a pass may take long, and nobody waits for it.
const ON_RECORDS = { pool: "records" } as const;
/** Until then a send without an answer is settled, with or without a word of the platform. */
const SETTLED_AFTER_SECONDS = 300;

/**
 * Counts anew every hour in which something has changed since the last pass: messages were made, the platform told of
 * some, or a refused one was tried again. Counting anew is the same however often it happens, so a pass that dies, or two
 * at once, do no harm. Answers with the number of hours.
 */
export const rollUpHours = async (): Promise<number> => {
  const { until, changed } = await listChangedHours();
  const all = [...changed, ...(await listUncountedHours())];
  // The newest first: a pass that dies leaves the first hour of a workspace, by which the next one sees what is left.
  const hours = [...new Map(all.map((hour) => [JSON.stringify(hour), hour])).values()].toSorted(newestFirst);
  for (let at = 0; at < hours.length; at += HOURS_AT_ONCE) await countHours(hours.slice(at, at + HOURS_AT_ONCE));
  await moveMark(until);
  return hours.length;
};

/** `until` is the instant up to which nothing has been missed. */
const listChangedHours = () =>
  onDatabase(async ({ $client }) => {
    const rows = await $client<{ untilMs: number; workspaceId: string | null; mode: Mode; hourMs: number }[]>`
      with since as (
        select now() as until, coalesce(
          (select until from roll_up_marks where id = ${MARK}), now()
        ) - make_interval(secs => ${OVERLAP_SECONDS}) as since
      ), touched as (
        select m.workspace_id, m.mode, m.created_at
        from since, workspaces w
        join lateral (
          select * from messages
          where workspace_id = w.id and created_at >= since - make_interval(secs => ${SETTLED_AFTER_SECONDS})
        ) m on true
        union all
        select m.workspace_id, m.mode, m.created_at
        from since, status_events e
        join messages m on m.workspace_id = e.workspace_id and m.id = e.message_id
        where e.received_at >= since
        union all
        select m.workspace_id, m.mode, m.created_at
        from since, workspaces w
        join lateral (
          select * from api_requests
          where workspace_id = w.id and at >= since and message_id is not null and not is_replay
        ) r on true
        join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id
      ), hours as (
        select distinct t.workspace_id, t.mode, date_trunc('hour', t.created_at, w.time_zone) as hour
        from touched t join workspaces w on w.id = t.workspace_id
      )
      select (1000 * extract(epoch from until))::float8 as "untilMs", workspace_id as "workspaceId", mode, (1000 * extract(epoch from hour))::float8 as "hourMs"
      from since left join hours on true`;
    const [first] = rows;
    if (!first) throw new Error("a moment always has a row");
    return {
      until: new Date(first.untilMs),
      changed: rows.flatMap(({ workspaceId, ...hour }) => (workspaceId ? [toHour({ workspaceId, ...hour })] : [])),
    };
  }, ON_RECORDS);

const newestFirst = (one: Hour, other: Hour) => other.hour.getTime() - one.hour.getTime();

/**
 * Every hour of the workspaces whose first message is not counted: before their first pass is whole, and after a change of
 * the clock has moved their hours. Leaps from hour to hour: its cost is that of the hours, not of the messages.
 */
const listUncountedHours = () =>
  onDatabase(async ({ $client }) => {
    const rows = await $client<HourRow[]>`
      with recursive uncounted as (
        select w.id, w.time_zone, date_trunc('hour', first.created_at, w.time_zone) as hour
        from workspaces w
        join lateral (
          select mode, created_at from messages where workspace_id = w.id order by created_at, id limit 1
        ) first on true
        where not exists (
          select from message_hours h
          where h.workspace_id = w.id and h.mode = first.mode
            and h.hour = date_trunc('hour', first.created_at, w.time_zone)
        )
      ), hours as (
        select * from uncounted
        union all
        select h.id, h.time_zone, date_trunc('hour', next.created_at, h.time_zone)
        from hours h
        join lateral (
          select created_at from messages
          where workspace_id = h.id and created_at >= h.hour + interval '1 hour' order by created_at, id limit 1
        ) next on true
      )
      select id as "workspaceId", mode, (1000 * extract(epoch from hour))::float8 as "hourMs"
      from hours, unnest(enum_range(null::mode)) as mode`;
    return rows.map(toHour);
  }, ON_RECORDS);

type HourRow = { workspaceId: string; mode: Mode; hourMs: number };

const toHour = ({ workspaceId, mode, hourMs }: HourRow): Hour => ({ workspaceId, mode, hour: new Date(hourMs) });

/** Few enough for each statement to end in its time. */
const HOURS_AT_ONCE = 50;

const countHours = (hours: readonly Hour[]) =>
  onDatabase(
    (db) =>
      db.transaction(async (tx) => {
        // Two processes that count one hour at once would both put in what only one has taken out.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('switchboard roll-up', 0))`);
        await countMessages(tx, hours);
        await countDeliveries(tx, hours);
      }),
    ON_RECORDS,
  );

const countMessages = async (tx: Transaction, hours: readonly Hour[]) => {
  await tx.execute(sql`
    delete from ${messageHours} h using ${listed(hours)}
    where ${OVERLAPS}`);
  await tx.execute(sql`
    insert into ${messageHours} (workspace_id, mode, hour, status, failure_code, phone_number_id, api_key_id, type,
      template_name, template_language, count)
    select m.workspace_id, m.mode, at.hour, m.status, coalesce(m.failure_code, 0), m.phone_number_id,
      coalesce(m.api_key_id, ''), m.type, coalesce(m.template_name, ''), coalesce(m.template_language, ''), count(*)
    from ${listed(hours)} join ${messages} m on ${IS_MADE_THEN}
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`);
};

/** From sent to delivered, by the platform's clock, on the scale of `bucketOf`. */
const countDeliveries = async (tx: Transaction, hours: readonly Hour[]) => {
  await tx.execute(sql`
    delete from ${durationHours} h using ${listed(hours)}
    where ${OVERLAPS} and h.kind = 'delivery'`);
  await tx.execute(sql`
    insert into ${durationHours} (workspace_id, mode, hour, kind, bucket, count)
    select workspace_id, mode, hour, 'delivery',
      case when ms > 1 then least(${LAST_BUCKET}, ceil(${BUCKETS_PER_DOUBLING} * ln(ms) / ln(2::float8))) else 0 end,
      count(*)
    from (
      select m.workspace_id, m.mode, at.hour,
        (1000 * extract(epoch from m.delivered_at - m.sent_at))::float8 as ms
      from ${listed(hours)} join ${messages} m on ${IS_MADE_THEN}
      where m.delivered_at is not null and m.sent_at is not null
    ) as delivered
    group by 1, 2, 3, 5`);
};

/** Also what was counted by another clock, whose hours began at another minute. */
const OVERLAPS = sql.raw(
  "h.workspace_id = at.workspace_id and h.mode = at.mode and h.hour > at.hour - interval '1 hour' and h.hour < at.hour + interval '1 hour'",
);

const IS_MADE_THEN = sql.raw(
  "m.workspace_id = at.workspace_id and m.mode = at.mode and m.created_at >= at.hour and m.created_at < at.hour + interval '1 hour'",
);

const listed = (hours: readonly Hour[]) => {
  const rows = hours.map(({ workspaceId, mode, hour }) => sql`(${workspaceId}, ${mode}, ${hour.toISOString()})`);
  return sql`(
    select workspace_id, mode::mode, hour::timestamptz
    from (values ${sql.join(rows, sql`, `)}) as given (workspace_id, mode, hour)) as at`;
};

/** Only forwards: another process may have come further. */
const moveMark = (until: Date) =>
  onDatabase(
    (db) =>
      db
        .insert(rollUpMarks)
        .values({ id: MARK, until })
        .onConflictDoUpdate({
          target: rollUpMarks.id,
          set: { until: sql`greatest(${rollUpMarks.until}, excluded.until)` },
        }),
    ON_RECORDS,
  );
