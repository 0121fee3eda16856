import type { Sql } from "postgres";
import { databaseRefusal, inTransaction, type Transaction } from "@/db/client";
import { onSql, rawSql, readInstant } from "@/db/raw-sql";
import { MARKS } from "@/db/schema/roll-ups";
import { batcher } from "@/lib/core/batcher";
import { BUCKETS_PER_DOUBLING, LAST_BUCKET } from "@/lib/core/duration-scale";
import { isSame, listed, listOf, namesOf, type RollUp, TABLES } from "./counted-tables";
import { localDaysOf } from "./day-spans";
import { listChangedQuarters, listUncountedQuarters, type Quarter } from "./quarters-to-count";
import { followDays, sumAllDays } from "./sum-days";

/** Covers writes that began before the last pass and committed after it. */
const OVERLAP_SECONDS = 15;
// A separate pool: a pass can take long, and must not hold the requests' connections.
const ON_RECORDS = { pool: "records" } as const;
/** How long to wait for the lock while another instance runs its batches, each within a statement timeout. */
const WAIT_AT_MOST_MS = 20_000;
const LOCK_TIMED_OUT = "55P03";

/**
 * Recounts every quarter of an hour, and sums every day, that changed since the last pass: messages were created, statuses
 * arrived, or a refused message was retried. Counting is idempotent, so a crashed pass or two concurrent instances do no
 * harm. Concurrent passes of this process share a run, so that at most one connection waits. Returns the number of quarters.
 */
export function rollUp(): Promise<number> {
  return pass();
}

const pass = batcher<void, number>(async (calls) => Array(calls.length).fill(await countChanged()));

async function countChanged(): Promise<number> {
  const { until, since } = await readMark();
  const all = [...(await listChangedQuarters(since)), ...(await listUncountedQuarters())];
  // Newest first: a crashed pass leaves a workspace's first quarter uncounted, which shows the next pass what is left.
  const quarters = [...new Map(all.map((quarter) => [JSON.stringify(quarter), quarter])).values()].toSorted(
    newestFirst,
  );
  await inBatchesOf(QUARTERS_AT_ONCE, quarters, countQuarters);
  await moveMark(until);
  await followDays(inBatchesOf);
  return quarters.length;
}

/** Each batch in a transaction of its own that has the lock. */
async function inBatchesOf<Row>(
  size: number,
  rows: readonly Row[],
  work: (sql: Sql, rows: readonly Row[]) => Promise<void>,
) {
  for (let at = 0; at < rows.length; at += size) {
    await inTurn((tx) => work(rawSql(tx), rows.slice(at, at + size)));
  }
}

/** `until` is the time up to which everything has been counted. */
function readMark() {
  return onSql(async (sql) => {
    const [mark] = await sql<{ until: string; since: string }[]>`
      select now() as until, coalesce((select until from roll_up_marks where id = ${MARKS.counted}), now())
        - make_interval(secs => ${OVERLAP_SECONDS}) as since`;
    if (!mark) throw new Error("the database returned no time");
    return { until: readInstant(mark.until), since: readInstant(mark.since) };
  }, ON_RECORDS);
}

const newestFirst = (one: { startsAt: Date }, other: { startsAt: Date }) =>
  other.startsAt.getTime() - one.startsAt.getTime();

/**
 * Takes the lock: two instances that recount a quarter at once would delete it once and insert it twice. They queue, so
 * that none starves. Throws DatabaseUnavailable if the lock is not free within the time limit.
 */
async function inTurn(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const untilMs = performance.now() + WAIT_AT_MOST_MS;
  for (;;) {
    try {
      return await takeTurn(work);
    } catch (error) {
      if (databaseRefusal(error)?.code !== LOCK_TIMED_OUT || performance.now() > untilMs) throw error;
    }
  }
}

function takeTurn(work: (tx: Transaction) => Promise<void>): Promise<void> {
  return inTransaction(async (tx) => {
    const sql = rawSql(tx);
    await sql`set local lock_timeout = '1s'`;
    await sql`select pg_advisory_xact_lock(hashtextextended('switchboard roll-up', 0))`;
    await work(tx);
  }, ON_RECORDS);
}

/** Few enough for each statement to finish within its timeout. */
const QUARTERS_AT_ONCE = 40;

async function countQuarters(sql: Sql, given: readonly Quarter[]): Promise<void> {
  const ids = JSON.stringify(given.map(({ workspaceId }) => workspaceId));
  const rows = await sql<{ id: string; timeZone: string }[]>`
    select id, time_zone as "timeZone" from workspaces
    where id in (select json_array_elements_text(${ids}::text::json))`;
  const zones = new Map(rows.map(({ id, timeZone }) => [id, timeZone]));
  // The counts of a workspace that has just been deleted are left out.
  const quarters = given.filter(({ workspaceId }) => zones.has(workspaceId));
  for (const table of TABLES) await countMessages(sql, quarters, table);
  await countArrivals(sql, quarters);
  const days = quarters.flatMap((quarter) =>
    localDaysOf(
      { ...quarter, endsAt: new Date(quarter.startsAt.getTime() + 1) },
      zones.get(quarter.workspaceId) ?? "UTC",
    ),
  );
  await sumAllDays(sql, [...new Map(days.map((day) => [JSON.stringify(day), day])).values()]);
}

// Each quarter is counted separately, by the index: one join over all would scan every message.

async function countMessages(sql: Sql, quarters: readonly Quarter[], table: RollUp): Promise<void> {
  await sql`delete from ${sql(table.quarters)} c using ${listed(sql, quarters)} where ${isSame(sql)} and c.starts_at = at.starts_at`;
  const columns = { ...table.keys, ...table.counts };
  await sql`
    insert into ${sql(table.quarters)} (workspace_id, mode, starts_at, ${listOf(sql, namesOf(columns))})
    select at.workspace_id, at.mode, at.starts_at, made.*
    from ${listed(sql, quarters)} cross join lateral (
      select ${listOf(sql, Object.values(columns))} from messages m
      where ${isCreatedInQuarter(sql)} and ${sql.unsafe(table.where)} group by ${listOf(sql, Object.values(table.keys))}
    ) made`;
}

/** From sent to delivered, by WhatsApp's clock, on the scale of `bucketOf`. */
async function countArrivals(sql: Sql, quarters: readonly Quarter[]): Promise<void> {
  await sql`
    delete from duration_hours c using ${listed(sql, quarters)}
    where ${isSame(sql)} and c.hour = at.starts_at and c.kind = 'arrival'`;
  await sql`
    insert into duration_hours (workspace_id, mode, hour, kind, bucket, count)
    select at.workspace_id, at.mode, at.starts_at, 'arrival', delivered.*
    from ${listed(sql, quarters)} cross join lateral (
      select case when ms > 1 then least(${LAST_BUCKET}, ceil(${BUCKETS_PER_DOUBLING} * ln(ms) / ln(2::float8))) else 0 end,
        count(*)
      from (
        select (1000 * extract(epoch from m.delivered_at - m.sent_at))::float8 as ms from messages m
        where ${isCreatedInQuarter(sql)} and m.delivered_at is not null and m.sent_at is not null
      ) as durations
      group by 1
    ) delivered`;
}

const isCreatedInQuarter = (sql: Sql) => sql`
  m.workspace_id = at.workspace_id and m.mode = at.mode
  and m.created_at >= at.starts_at and m.created_at < at.starts_at + interval '15 minutes'`;

/** Only moves forward: another process may be ahead. */
function moveMark(until: Date) {
  return onSql(
    (sql) => sql`
      insert into roll_up_marks (id, until) values (${MARKS.counted}, ${until.toISOString()}::timestamptz)
      on conflict (id) do update set until = greatest(roll_up_marks.until, excluded.until)`,
    ON_RECORDS,
  );
}
