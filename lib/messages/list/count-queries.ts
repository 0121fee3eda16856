import { and, asc, type Column, desc, eq, exists, gt, gte, lt, lte, min, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { MARKS, type MessageCounts, messageDays, messageQuarters, rollUpMarks } from "@/db/schema";
import type { PageCursor } from "@/lib/core/keyset-page";
import { addDays, dayStart } from "@/lib/core/local-time";
import { type Direction, matching, timestamp } from "./conditions";
import type { LogView } from "./log-view";

/** Each has at least one message, so this many fill a page. */
export const QUARTERS_AT_ONCE = 60;
export const QUARTER_MS = 15 * 60_000;

type QuartersPlace = {
  direction: Direction;
  cursor: PageCursor | undefined;
  countedUntil: Date;
  after: Date | undefined;
};

/** Returns the next quarters, as Dates of their start in reading order, that have messages which pass the filters. */
export async function listQuarters(
  db: Db,
  view: LogView,
  { direction, cursor, countedUntil, after }: QuartersPlace,
): Promise<Date[]> {
  const { timeZone } = view;
  const { from, to } = view.filters;
  const begin = after ?? cursor?.createdAt;
  const isOlder = direction === "older";
  const inOrder = isOlder ? desc : asc;
  const days = db
    .selectDistinct({ startsAt: messageDays.startsAt, endsAt: messageDays.endsAt })
    .from(messageDays)
    .where(
      and(
        countsOf(messageDays, view),
        from === undefined ? undefined : gt(messageDays.endsAt, dayStart(from, timeZone)),
        to === undefined ? undefined : lt(messageDays.startsAt, dayStart(addDays(to, 1), timeZone)),
        begin && (isOlder ? lte(messageDays.startsAt, begin) : gt(messageDays.endsAt, begin)),
      ),
    )
    .orderBy(inOrder(messageDays.startsAt))
    .as("days");
  // Probing each quarter is cheaper than reading all rows of a day.
  const startsAt = sql`quarter`;
  const quarters = await db
    .select({ quarter: startsAt.mapWith(messageQuarters.startsAt) })
    .from(days)
    .crossJoin(
      sql`generate_series(${days.startsAt}, ${days.endsAt} - interval '15 minutes', interval '15 minutes') as ${startsAt}`,
    )
    .where(
      and(
        sql`${startsAt} < ${timestamp(countedUntil)}`,
        cursor && reachesBeyond(startsAt, direction, cursor.createdAt),
        after && sql`${startsAt} ${isOlder ? sql`<` : sql`>`} ${timestamp(after)}`,
        exists(
          db
            .select({ one: sql`1` })
            .from(messageQuarters)
            .where(and(countsOf(messageQuarters, view), eq(messageQuarters.startsAt, startsAt))),
        ),
      ),
    )
    .orderBy(inOrder(days.startsAt), inOrder(startsAt))
    .limit(QUARTERS_AT_ONCE);
  return quarters.map(({ quarter }) => quarter);
}

/** Returns the number of messages before a quarter: those of whole days, and of the quarters around them. */
export async function sumCounts(db: Db, view: LogView, before: Date): Promise<number> {
  const { from, to } = view.filters;
  const first = from === undefined ? new Date(0) : dayStart(from, view.timeZone);
  const end = to === undefined ? before : new Date(Math.min(+before, +dayStart(addDays(to, 1), view.timeZone)));
  const isWhole = and(
    eq(messageDays.workspaceId, view.workspaceId),
    eq(messageDays.mode, view.mode),
    gte(messageDays.startsAt, first),
    lte(messageDays.endsAt, end),
  );
  const edge = (order: SQL, at: Column) =>
    sql`(${db
      .select({ at: sql`${at}` })
      .from(messageDays)
      .where(isWhole)
      .orderBy(order)
      .limit(1)})`;
  const wholeBegin = sql`coalesce(${edge(asc(messageDays.startsAt), messageDays.startsAt)}, ${timestamp(end)})`;
  const wholeEnd = sql`coalesce(${edge(desc(messageDays.startsAt), messageDays.endsAt)}, ${timestamp(end)})`;
  const quarters = (since: SQL, until: SQL) =>
    db
      .select({ count: messageQuarters.count })
      .from(messageQuarters)
      .where(
        and(
          countsOf(messageQuarters, view),
          sql`${messageQuarters.startsAt} >= ${since}`,
          sql`${messageQuarters.startsAt} < ${until}`,
        ),
      );
  const [row] = await db.select({ count: sql<number>`coalesce(sum(count), 0)::int` }).from(
    unionAll(
      db
        .select({ count: messageDays.count })
        .from(messageDays)
        .where(and(countsOf(messageDays, view), isWhole)),
      quarters(timestamp(first), wholeBegin),
      quarters(wholeEnd, timestamp(end)),
    ).as("counted"),
  );
  return row?.count ?? 0;
}

/** Returns the quarter from which the roll-up may be incomplete; null before the first count. */
export async function rolledUpUntil(db: Db): Promise<Date | null> {
  const until = sql`least(now() - interval '1 hour', ${min(rollUpMarks.until)})`;
  const [mark] = await db
    .select({ until: sql`date_bin('15 minutes', ${until}, 'epoch')`.mapWith(rollUpMarks.until) })
    .from(rollUpMarks)
    .where(eq(rollUpMarks.id, MARKS.counted))
    .having(sql`count(*) > 0`);
  return mark?.until ?? null;
}

function countsOf(counts: MessageCounts, view: LogView): SQL | undefined {
  return and(matching(counts, view), eq(counts.mode, view.mode));
}

/** Matches the quarters that may hold something on the far side of `at`. */
function reachesBeyond(startsAt: SQL, direction: Direction, at: Date): SQL {
  return direction === "older"
    ? sql`${startsAt} <= ${timestamp(at)}`
    : sql`${startsAt} > ${timestamp(at)} - interval '15 minutes'`;
}
