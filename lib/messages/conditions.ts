import { and, type Column, eq, gt, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { messageHours, messages, outcomeHours } from "@/db/schema";
import { beyondCursor, type PageCursor } from "@/lib/core/keyset-page";
import type { WorkspaceId } from "@/lib/core/principal";
import type { LogView } from "./log-view";
import { BUCKET_MS, type TimeRange } from "./time-ranges";

/** Returns the filters that are columns of `messages`. */
export function messagesOf({ workspaceId, timeZone, filters }: LogView): SQL | undefined {
  return and(
    eq(messages.workspaceId, workspaceId),
    given(filters.status, (it) => eq(messages.status, it)),
    given(filters.type, (it) => eq(messages.type, it)),
    given(filters.line, (it) => eq(messages.phoneNumberId, it)),
    given(filters.template, (it) => eq(messages.templateName, it)),
    given(filters.key, (it) => eq(messages.apiKeyId, it)),
    given(filters.code, (it) => eq(messages.failureCode, Number(it))),
    given(filters.from, (it) => gte(messages.createdAt, dayBegins(it, timeZone))),
    given(filters.to, (it) => lt(messages.createdAt, dayEnds(it, timeZone))),
  );
}

export function inMode({ mode }: LogView): SQL {
  return eq(messages.mode, mode);
}

/** Chooses the roll-up with the filtered columns: only the larger one has type and template. */
export function hoursOf({ filters: { type, template } }: LogView) {
  return type === undefined && template === undefined ? outcomeHours : messageHours;
}

/** The same for the roll-up, whose buckets may extend slightly beyond the days. */
export function bucketsOf(view: LogView): SQL | undefined {
  const { workspaceId, mode, timeZone, filters } = view;
  const hours = hoursOf(view);
  return and(
    eq(hours.workspaceId, workspaceId),
    eq(hours.mode, mode),
    given(filters.status, (it) => eq(hours.status, it)),
    given(filters.type, (it) => eq(messageHours.type, it)),
    given(filters.line, (it) => eq(hours.phoneNumberId, it)),
    given(filters.template, (it) => eq(messageHours.templateName, it)),
    given(filters.key, (it) => eq(hours.apiKeyId, it)),
    given(filters.code, (it) => eq(hours.failureCode, Number(it))),
    given(filters.from, (it) => gt(hours.hour, sql`${dayBegins(it, timeZone)} - ${BUCKET}::interval`)),
    given(filters.to, (it) => lt(hours.hour, dayEnds(it, timeZone))),
  );
}

/** Which way a page is read from its cursor. */
export type Direction = "older" | "newer";

export function beyond(direction: Direction, cursor: PageCursor | undefined): SQL | undefined {
  return beyondCursor({ at: messages.createdAt, id: messages.id }, { direction, cursor });
}

/** The same within a time range, as a plain filter: it only excludes rows that share the cursor's timestamp. */
export function beyondInRange(direction: Direction, { createdAt, id }: PageCursor): SQL {
  const at = timestamp(createdAt);
  return direction === "older"
    ? sql`(${messages.createdAt} < ${at} or (${messages.createdAt} = ${at} and ${messages.id} < ${id}))`
    : sql`(${messages.createdAt} > ${at} or (${messages.createdAt} = ${at} and ${messages.id} > ${id}))`;
}

/** The buckets that may hold something beyond the cursor. */
export function bucketsBeyond(hour: Column, direction: Direction, cursor: PageCursor | undefined): SQL | undefined {
  if (!cursor) return undefined;
  const at = timestamp(cursor.createdAt);
  return direction === "older" ? sql`${hour} <= ${at}` : sql`${hour} > ${at} - ${BUCKET}::interval`;
}

/** Matches rows beyond the last bucket that was read. */
export function unread(at: Column, direction: Direction, bucket: Date): SQL {
  return direction === "older" ? lt(at, bucket) : gte(at, new Date(bucket.getTime() + BUCKET_MS));
}

/**
 * Reads several time ranges, each by the index, so that the gaps between them are never scanned. The ids are an
 * array, because the planner would otherwise scan all messages in order and check each against the subquery.
 */
export function foundInRanges(
  ranges: readonly TimeRange[],
  { where, direction, limit }: { where: SQL | undefined; direction: Direction; limit: number },
): SQL {
  const rows = ranges.map(({ since, until }) => ({ since: since ?? "-infinity", until: until ?? "infinity" }));
  const order = direction === "older" ? sql.raw("desc") : sql.raw("asc");
  return sql`${messages.id} = any (array(
    select found.id
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as range (since timestamptz, until timestamptz)
    cross join lateral (
      select ${messages.id} as id, ${messages.createdAt} as created_at from ${messages}
      where ${where} and ${messages.createdAt} >= range.since and ${messages.createdAt} < range.until
      order by ${messages.createdAt} ${order}, ${messages.id} ${order} limit ${limit}
    ) found
    order by found.created_at ${order}, found.id ${order} limit ${limit}))`;
}

/** Matches the message sent by this request. Request ids have no index, so their timestamp narrows the search. */
export function ofRequest(workspaceId: WorkspaceId, requestId: string, madeAt: Date | undefined): SQL | undefined {
  return or(
    madeAt &&
      and(
        eq(messages.requestId, requestId),
        sql`${messages.createdAt} between ${timestamp(madeAt)} - ${CLOCKS_DIFFER_BY}::interval
          and ${timestamp(madeAt)} + ${CLOCKS_DIFFER_BY}::interval`,
      ),
    sql`${messages.id} = (
      select message_id from api_requests where workspace_id = ${workspaceId} and id = ${requestId})`,
  );
}

/** Also covers the time that a send takes to insert its row. */
const CLOCKS_DIFFER_BY = "2 minutes";
const BUCKET = `${BUCKET_MS} milliseconds`;

const given = <Value>(value: Value | undefined, condition: (value: Value) => SQL): SQL | undefined =>
  value === undefined ? undefined : condition(value);

const dayBegins = (day: string, timeZone: string) => sql`(${day}::date::timestamp at time zone ${timeZone})`;
const dayEnds = (day: string, timeZone: string) => sql`((${day}::date + 1)::timestamp at time zone ${timeZone})`;
const timestamp = (at: Date) => sql`${at.toISOString()}::timestamptz`;
