import { and, type Column, eq, gt, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { messageHours, messages, outcomeHours } from "@/db/schema";
import { beyondCursor } from "@/lib/core/keyset-page";
import type { PageCursor } from "@/lib/core/page-cursor";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { LogView } from "./log-view";
import { BUCKET_MS, type TimeRange } from "./time-ranges";

/** Those of the filters that are columns of a message. */
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

/** The roll-up that knows what is filtered by: what the messages were is only in the larger one. */
export function hoursOf({ filters: { type, template } }: LogView) {
  return type === undefined && template === undefined ? outcomeHours : messageHours;
}

/** The same of the roll-up, whose buckets may reach a little beyond the days. */
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

/** The same where a range of time has found the place already: written so that it only sorts out who shares a moment. */
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

/** What lies beyond the last of the buckets that were read. */
export function unread(at: Column, direction: Direction, bucket: Date): SQL {
  return direction === "older" ? lt(at, bucket) : gte(at, new Date(bucket.getTime() + BUCKET_MS));
}

/**
 * Narrows to ranges of time one by one, each by the index, so that what lies between them is never read. The ids are an
 * array, because the planner would otherwise walk through all messages in order and ask of each whether it is found.
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

/** A message whose send was this call: ids hold the time of their creation, and no index knows them. */
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

/** Also how long a send may take until its row is there. */
const CLOCKS_DIFFER_BY = "2 minutes";
const BUCKET = `${BUCKET_MS} milliseconds`;

const given = <Value>(value: Value | undefined, condition: (value: Value) => SQL): SQL | undefined =>
  value === undefined ? undefined : condition(value);

const dayBegins = (day: string, timeZone: string) => sql`(${day}::date::timestamp at time zone ${timeZone})`;
const dayEnds = (day: string, timeZone: string) => sql`((${day}::date + 1)::timestamp at time zone ${timeZone})`;
const timestamp = (at: Date) => sql`${at.toISOString()}::timestamptz`;
