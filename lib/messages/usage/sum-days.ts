import type { Sql } from "postgres";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { ZONE_DATA } from "@/lib/core/local-time";
import type { Mode } from "@/lib/core/principal";
import { isSame, listed, listOf, namesOf, type RollUp, TABLES } from "./counted-tables";
import { type DaySpan, localDaysOf, spansAfter } from "./day-spans";

const ON_RECORDS = { pool: "records" } as const;
/** Few enough for each statement to finish within its timeout. */
const DAYS_AT_ONCE = 10;
const WORKSPACES_AT_ONCE = 200;

/** Runs `work` for batches of rows, each in a transaction that has the lock of the roll-up. */
export type Batches = <Row>(
  size: number,
  rows: readonly Row[],
  work: (sql: Sql, rows: readonly Row[]) => Promise<void>,
) => Promise<void>;

const newestFirst = (one: DaySpan, other: DaySpan) => other.startsAt.getTime() - one.startsAt.getTime();

/**
 * Sums the days of workspaces again whose time zone has changed, or that were last counted with older zone data. Until
 * then their readers sum quarters.
 */
export async function followDays(inBatches: Batches): Promise<void> {
  const workspaces = await onSql(
    (sql) => sql<{ id: string; timeZone: string }[]>`
      select id, time_zone as "timeZone" from workspaces
      where days_counted_by is null or split_part(days_counted_by, ' ', 1) <> time_zone
        or split_part(days_counted_by, ' ', 2) < ${ZONE_DATA}::text collate "C"
      order by id limit ${WORKSPACES_AT_ONCE}`,
    ON_RECORDS,
  );
  for (const { id, timeZone } of workspaces) {
    const spans = await listSpans(id);
    const days = spans.flatMap((span) => {
      const local = localDaysOf(span, timeZone);
      const isDay = local.some((day) => +day.startsAt === +span.startsAt && +day.endsAt === +span.endsAt);
      return isDay ? [] : local;
    });
    const distinct = [...new Map(days.map((day) => [JSON.stringify(day), day])).values()];
    await inBatches(DAYS_AT_ONCE, distinct.toSorted(newestFirst), sumAllDays);
    // Not if the time zone has changed meanwhile: the next pass follows it.
    await onSql(
      (sql) => sql`
        update workspaces set days_counted_by = ${`${timeZone} ${ZONE_DATA}`} where id = ${id} and time_zone = ${timeZone}`,
      ON_RECORDS,
    );
  }
}

function listSpans(workspaceId: string): Promise<DaySpan[]> {
  return onSql(
    (sql) =>
      readRows(
        sql<SpanRow[]>`
          select workspace_id as "workspaceId", mode, starts_at as "startsAt", ends_at as "endsAt" from messages_by_day
          where workspace_id = ${workspaceId}
          union
          select workspace_id, mode, starts_at, ends_at from priced_by_day where workspace_id = ${workspaceId}`,
        toSpan,
      ),
    ON_RECORDS,
  );
}

type SpanRow = { workspaceId: string; mode: Mode; startsAt: string; endsAt: string };

const toSpan = ({ startsAt, endsAt, ...row }: SpanRow): DaySpan => ({
  ...row,
  startsAt: readInstant(startsAt),
  endsAt: readInstant(endsAt),
});

/** Sums days of the quarters that are counted, in both tables. */
export async function sumAllDays(sql: Sql, days: readonly DaySpan[]): Promise<void> {
  for (const table of TABLES) await sumDays(sql, days, table);
}

async function sumDays(sql: Sql, days: readonly DaySpan[], table: RollUp): Promise<void> {
  const [keys, counts] = [namesOf(table.keys), namesOf(table.counts)];
  // No day is longer than 26 hours; the bound lets the index find what begins before a day.
  const existing = await readRows(
    sql<SpanRow[]>`
      select distinct c.workspace_id as "workspaceId", c.mode, c.starts_at as "startsAt", c.ends_at as "endsAt"
      from ${listed(sql, days)} join ${sql(table.days)} c on ${isSame(sql)}
        and c.starts_at > at.starts_at - interval '2 days' and c.starts_at < at.ends_at and c.ends_at > at.starts_at`,
    toSpan,
  );
  await sql`delete from ${sql(table.days)} c using ${listed(sql, existing)} where ${isSame(sql)} and c.starts_at = at.starts_at`;
  await sql`
    insert into ${sql(table.days)} (workspace_id, mode, starts_at, ends_at, ${listOf(sql, [...keys, ...counts])})
    select at.workspace_id, at.mode, at.starts_at, at.ends_at, summed.*
    from ${listed(sql, spansAfter(existing, days))} cross join lateral (
      select ${listOf(sql, [...keys, ...counts.map((count) => `sum(${count})`)])} from ${sql(table.quarters)} c
      where ${isSame(sql)} and c.starts_at >= at.starts_at and c.starts_at < at.ends_at
      group by ${listOf(sql, keys)}
    ) summed`;
}
