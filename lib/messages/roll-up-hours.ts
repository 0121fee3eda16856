import { sql as expression } from "drizzle-orm";
import type { Fragment, Sql } from "postgres";
import { databaseRefusal, inTransaction, onDatabase, type Transaction } from "@/db/client";
import { onSql, rawSql, readInstant } from "@/db/raw-sql";
import { MARKS, rollUpMarks } from "@/db/schema";
import { batcher } from "@/lib/core/batcher";
import { BUCKETS_PER_DOUBLING, LAST_BUCKET } from "@/lib/core/duration-scale";
import { type Hour, listChangedHours, listMovedWorkspaces, listUncountedHours } from "./hours-to-count";

/** Covers writes that began before the last pass and committed after it. */
const OVERLAP_SECONDS = 15;
// A separate pool: a pass can take long, and must not hold the requests' connections.
const ON_RECORDS = { pool: "records" } as const;
/** How long to wait for the lock while another instance runs its batches, each within a statement timeout. */
const WAIT_AT_MOST_MS = 20_000;
const LOCK_TIMED_OUT = "55P03";

/**
 * Recounts every hour, and sums every day, that changed since the last pass: messages were created, statuses arrived, or
 * a refused message was retried. Counting is idempotent, so a crashed pass or two concurrent instances do no harm.
 * Concurrent passes of this process share a run, so that at most one connection waits. Returns the number of hours.
 */
export function rollUpHours(): Promise<number> {
  return pass();
}

const pass = batcher<void, number>(async (calls) => Array(calls.length).fill(await countChangedHours()));

const countChangedHours = async (): Promise<number> => {
  const { until, since } = await readMark();
  for (const workspaceId of await listMovedWorkspaces()) await inTurn((tx) => followTimeZone(tx, workspaceId));
  const uncounted = await listUncountedHours();
  const all = [...(await listChangedHours(since)), ...uncounted];
  // Newest first: a crashed pass leaves a workspace's first hour uncounted, which shows the next pass what is left.
  const hours = [...new Map(all.map((hour) => [JSON.stringify(hour), hour])).values()].toSorted(newestFirst);
  let left = 0;
  for (let at = 0; at < hours.length; at += HOURS_AT_ONCE)
    left += await countHours(hours.slice(at, at + HOURS_AT_ONCE));
  // What was not counted, because its time zone changed meanwhile, is listed again.
  if (left === 0) await moveMark(until);
  return hours.length;
};

/** `until` is the time up to which everything has been counted. */
const readMark = () =>
  onSql(async (sql) => {
    const [mark] = await sql<{ until: string; since: string }[]>`
      select now() as until, coalesce((select until from roll_up_marks where id = ${MARKS.counted}), now())
        - make_interval(secs => ${OVERLAP_SECONDS}) as since`;
    if (!mark) throw new Error("the database returned no time");
    return { until: readInstant(mark.until), since: readInstant(mark.since) };
  }, ON_RECORDS);

const newestFirst = (one: Hour, other: Hour) => other.hour.getTime() - one.hour.getTime();

/**
 * Deletes days, and hours with another minute offset, of an earlier time zone: they overlap the current ones. Until this is
 * done nothing is counted, so that there are never days of two time zones.
 */
const followTimeZone = async (tx: Transaction, workspaceId: string): Promise<void> => {
  const sql = rawSql(tx);
  // The first day in any case: it shows what is left to count (listUncountedHours), and both zones may have it.
  await sql`
    delete from message_days d using workspaces w
    where w.id = ${workspaceId} and w.counted_time_zone is not null and d.workspace_id = ${workspaceId}
      and d.day = (select min(day) from message_days where workspace_id = ${workspaceId})`;
  await sql`update workspaces set counted_time_zone = time_zone where id = ${workspaceId}`;
  const ofOthers = (unit: "hour" | "day") => sql`using workspaces w where h.workspace_id = ${workspaceId}
    and w.id = h.workspace_id and h.${sql(unit)} <> date_trunc(${unit}, h.${sql(unit)}, w.time_zone)`;
  for (const { days, hours } of TABLES) {
    await sql`delete from ${sql(days)} h ${ofOthers("day")}`;
    await sql`delete from ${sql(hours)} h ${ofOthers("hour")}`;
  }
  await sql`delete from duration_hours h ${ofOthers("hour")} and h.kind = 'delivery'`;
};

/**
 * Takes the lock: two instances that recount an hour at once would delete it once and insert it twice. They queue, so
 * that none starves. Throws DatabaseUnavailable if the lock is not free within the time limit.
 */
const inTurn = async (work: (tx: Transaction) => Promise<void>): Promise<void> => {
  const untilMs = performance.now() + WAIT_AT_MOST_MS;
  for (;;) {
    try {
      return await takeTurn(work);
    } catch (error) {
      if (databaseRefusal(error)?.code !== LOCK_TIMED_OUT || performance.now() > untilMs) throw error;
    }
  }
};

const takeTurn = (work: (tx: Transaction) => Promise<void>): Promise<void> =>
  inTransaction(async (tx) => {
    const sql = rawSql(tx);
    await sql`set local lock_timeout = '1s'`;
    await sql`select pg_advisory_xact_lock(hashtextextended('switchboard roll-up', 0))`;
    await work(tx);
  }, ON_RECORDS);

/** Two tables of the same counts, and how an hour is counted: the columns of `select` are `keys`, then `counts`. */
type RollUp = {
  hours: string;
  days: string;
  keys: string[];
  counts: string[];
  select: (sql: Sql) => Fragment;
  where: (sql: Sql) => Fragment;
};

const TABLES: RollUp[] = [
  {
    hours: "message_hours",
    days: "message_days",
    keys: ["status", "failure_code", "phone_number_id", "api_key_id", "type", "template_name", "template_language"],
    counts: ["count"],
    select: (sql) => sql`m.status, coalesce(m.failure_code, 0), m.phone_number_id, coalesce(m.api_key_id, ''), m.type,
      coalesce(m.template_name, ''), coalesce(m.template_language, ''), count(*)`,
    where: (sql) => sql`true`,
  },
  {
    hours: "priced_hours",
    days: "priced_days",
    keys: ["phone_number_id", "api_key_id", "template_name", "country", "category", "type", "billable"],
    counts: ["count", "delivered"],
    select: (sql) => sql`m.phone_number_id, coalesce(m.api_key_id, ''), coalesce(m.template_name, ''),
      coalesce(m.recipient_country, ''), m.pricing_category, coalesce(m.pricing_type, ''), m.pricing_billable,
      count(*), count(*) filter (where m.status in ('DELIVERED', 'READ'))`,
    where: (sql) => sql`m.priced_at is not null`,
  },
];

const listOf = (sql: Sql, names: readonly string[]) => sql.unsafe(names.join(", "));

/** Few enough for each statement to finish within its timeout. */
const HOURS_AT_ONCE = 20;

/** Returns how many were left out: those of a workspace whose time zone has changed since they were listed. */
const countHours = async (given: readonly Hour[]): Promise<number> => {
  let left = 0;
  await inTurn(async (tx) => {
    const sql = rawSql(tx);
    const ids = JSON.stringify(given.map(({ workspaceId }) => workspaceId));
    const rows = await sql<{ id: string; timeZone: string; isCurrent: boolean }[]>`
      select id, time_zone as "timeZone", coalesce(counted_time_zone, time_zone) = time_zone as "isCurrent"
      from workspaces where id in (select json_array_elements_text(${ids}::text::json))`;
    const workspaces = new Map(rows.map((row) => [row.id, row]));
    const there = given.filter(({ workspaceId }) => workspaces.has(workspaceId));
    const hours = there.filter(({ workspaceId, timeZone }) => {
      const workspace = workspaces.get(workspaceId);
      return workspace?.isCurrent && workspace.timeZone === timeZone;
    });
    left = there.length - hours.length;
    for (const table of TABLES) {
      await countMessages(sql, hours, table);
      await sumDays(sql, hours, table);
    }
    await countDeliveries(sql, hours);
  });
  return left;
};

// Each hour is counted separately, by the index: one join over all hours would scan every message.

const countMessages = async (sql: Sql, hours: readonly Hour[], table: RollUp) => {
  await sql`delete from ${sql(table.hours)} h using ${listed(sql, hours)} where ${isRowOfHour(sql)}`;
  await sql`
    insert into ${sql(table.hours)} (workspace_id, mode, hour, ${listOf(sql, [...table.keys, ...table.counts])})
    select at.workspace_id, at.mode, at.hour, made.*
    from ${listed(sql, hours)} cross join lateral (
      select ${table.select(sql)} from messages m where ${isCreatedInHour(sql)} and ${table.where(sql)}
      group by ${listOf(
        sql,
        table.keys.map((_, i) => `${i + 1}`),
      )}
    ) made`;
};

/** From all hours of their days. */
const sumDays = async (sql: Sql, hours: readonly Hour[], table: RollUp) => {
  const days = sql`(
    select distinct workspace_id, mode, date_trunc('day', hour, time_zone) as day, time_zone from ${listed(sql, hours)}) as at`;
  const keys = listOf(
    sql,
    ["workspace_id", "mode", ...table.keys].map((key) => `h.${key}`),
  );
  await sql`
    delete from ${sql(table.days)} d using ${days}
    where d.workspace_id = at.workspace_id and d.mode = at.mode and d.day = at.day`;
  await sql`
    insert into ${sql(table.days)} (workspace_id, mode, ${listOf(sql, table.keys)}, day, ${listOf(sql, table.counts)})
    select ${keys}, at.day, ${listOf(
      sql,
      table.counts.map((count) => `sum(h.${count})`),
    )}
    from ${days} join ${sql(table.hours)} h on h.workspace_id = at.workspace_id and h.mode = at.mode and h.hour >= at.day
      and h.hour < (at.day at time zone at.time_zone + interval '1 day') at time zone at.time_zone
    group by ${keys}, at.day`;
};

/** From sent to delivered, by WhatsApp's clock, on the scale of `bucketOf`. */
const countDeliveries = async (sql: Sql, hours: readonly Hour[]) => {
  await sql`
    delete from duration_hours h using ${listed(sql, hours)} where ${isRowOfHour(sql)} and h.kind = 'delivery'`;
  await sql`
    insert into duration_hours (workspace_id, mode, hour, kind, bucket, count)
    select at.workspace_id, at.mode, at.hour, 'delivery', delivered.*
    from ${listed(sql, hours)} cross join lateral (
      select case when ms > 1 then least(${LAST_BUCKET}, ceil(${BUCKETS_PER_DOUBLING} * ln(ms) / ln(2::float8))) else 0 end,
        count(*)
      from (
        select (1000 * extract(epoch from m.delivered_at - m.sent_at))::float8 as ms from messages m
        where ${isCreatedInHour(sql)} and m.delivered_at is not null and m.sent_at is not null
      ) as durations
      group by 1
    ) delivered`;
};

const isCreatedInHour = (sql: Sql) => sql`
  m.workspace_id = at.workspace_id and m.mode = at.mode
  and m.created_at >= at.hour and m.created_at < at.hour + interval '1 hour'`;

const isRowOfHour = (sql: Sql) => sql`h.workspace_id = at.workspace_id and h.mode = at.mode and h.hour = at.hour`;

const listed = (sql: Sql, hours: readonly Hour[]) => sql`(
    select given."workspaceId" as workspace_id, given."timeZone" as time_zone, given.mode, given.hour
    from json_to_recordset(${JSON.stringify(hours)}::text::json)
      as given ("workspaceId" text, "timeZone" text, mode mode, hour timestamptz)) as at`;

/** Only moves forward: another process may be ahead. */
const moveMark = (until: Date) =>
  onDatabase(
    (db) =>
      db
        .insert(rollUpMarks)
        .values({ id: MARKS.counted, until })
        .onConflictDoUpdate({
          target: rollUpMarks.id,
          set: { until: expression`greatest(${rollUpMarks.until}, excluded.until)` },
        }),
    ON_RECORDS,
  );
