import { and, asc, type Column, desc, eq, exists, gt, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { MARKS, type MessageCounts, messageDays, messageHours, rollUpMarks } from "@/db/schema";
import type { PageCursor } from "@/lib/core/keyset-page";
import { type Direction, dayBegins, dayEnds, given, matching, timestamp } from "./conditions";
import type { LogView } from "./log-view";

/** Each hour has at least one message, so this many fill a page. */
export const HOURS_AT_ONCE = 60;

type HoursPlace = { direction: Direction; cursor: PageCursor | undefined; countedUntil: Date; after: Date | undefined };

/** Returns the next hours, as Dates of their start in reading order, that have messages which pass the filters. */
export async function listHours(
  db: Db,
  view: LogView,
  { direction, cursor, countedUntil, after }: HoursPlace,
): Promise<Date[]> {
  const begin = after ?? cursor?.createdAt;
  const inOrderOf = direction === "older" ? desc : asc;
  const days = db
    .selectDistinct({ day: messageDays.startsAt })
    .from(messageDays)
    .where(and(countsOf(messageDays, view), begin && reachesBeyond(messageDays.startsAt, direction, begin, "day")))
    .orderBy(inOrderOf(messageDays.startsAt))
    .as("days");
  // Probing each hour is cheaper than reading all rows of a day. Half hours, because some clocks change by that much.
  const begins = sql`begins`;
  const next = sql`(${days.day} at time zone ${view.timeZone} + interval '1 day') at time zone ${view.timeZone}`;
  const hours = await db
    .select({ hour: begins.mapWith(messageHours.startsAt) })
    .from(days)
    .crossJoin(sql`generate_series(${days.day}, ${next} - interval '30 minutes', interval '30 minutes') as ${begins}`)
    .where(
      and(
        sql`${begins} < ${timestamp(countedUntil)}`,
        cursor && reachesBeyond(begins, direction, cursor.createdAt, "hour"),
        after && sql`${begins} ${direction === "older" ? sql`<` : sql`>`} ${timestamp(after)}`,
        exists(
          db
            .select({ one: sql`1` })
            .from(messageHours)
            .where(and(countsOf(messageHours, view), eq(messageHours.startsAt, begins))),
        ),
      ),
    )
    .orderBy(inOrderOf(days.day), inOrderOf(begins))
    .limit(HOURS_AT_ONCE);
  return hours.map(({ hour }) => hour);
}

/** Returns the number of messages before an hour: those of whole days, and of the hours of its own day. */
export async function sumCounts(db: Db, view: LogView, before: Date): Promise<number> {
  const until = timestamp(before);
  const day = sql`date_trunc('day', ${until}, ${view.timeZone})`;
  const [row] = await db.select({ count: sql<number>`coalesce(sum(count), 0)::int` }).from(
    unionAll(
      db
        .select({ count: messageDays.count })
        .from(messageDays)
        .where(and(countsOf(messageDays, view), sql`${messageDays.startsAt} < ${day}`)),
      db
        .select({ count: messageHours.count })
        .from(messageHours)
        .where(
          and(
            countsOf(messageHours, view),
            sql`${messageHours.startsAt} >= ${day}`,
            sql`${messageHours.startsAt} < ${until}`,
          ),
        ),
    ).as("counted"),
  );
  return row?.count ?? 0;
}

/** Returns the local hour from which the roll-up may be incomplete; null before the first count. */
export async function rolledUpUntil(db: Db, { timeZone }: LogView): Promise<Date | null> {
  const until = sql`least(now() - interval '1 hour', min(${rollUpMarks.until}))`;
  const [mark] = await db
    .select({ until: sql`date_trunc('hour', ${until}, ${timeZone})`.mapWith(rollUpMarks.until) })
    .from(rollUpMarks)
    .where(eq(rollUpMarks.id, MARKS.counted))
    .having(sql`count(*) > 0`);
  return mark?.until ?? null;
}

/** Hours or days may extend slightly beyond the asked days, after a change of time zone. */
function countsOf(counts: MessageCounts, view: LogView): SQL | undefined {
  const { mode, timeZone, filters } = view;
  const shortest = counts === messageDays ? "23 hours" : "1 hour";
  return and(
    matching(counts, view),
    eq(counts.mode, mode),
    given(filters.from, (it) => gt(counts.startsAt, sql`${dayBegins(it, timeZone)} - ${shortest}::interval`)),
    given(filters.to, (it) => lt(counts.startsAt, dayEnds(it, timeZone))),
  );
}

/** Matches the hours that may hold something on the far side of `at`, or the days, which have up to 25 hours. */
function reachesBeyond(start: SQL | Column, direction: Direction, at: Date, unit: "hour" | "day"): SQL {
  const longest = unit === "day" ? "25 hours" : "1 hour";
  return direction === "older"
    ? sql`${start} <= ${timestamp(at)}`
    : sql`${start} > ${timestamp(at)} - ${longest}::interval`;
}
