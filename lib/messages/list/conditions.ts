import { and, type Column, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { type MessageCounts, messages } from "@/db/schema";
import { beyondCursor, type PageCursor } from "@/lib/core/keyset-page";
import { type Conditions, meeting, withinDays } from "@/lib/core/list-filters";
import type { WorkspaceId } from "@/lib/core/principal";
import type { LogView, MessageFilters } from "./log-view";
import type { TimeRange } from "./time-ranges";

/** Returns the filters of messages, days included. */
export function messagesOf(view: LogView): SQL | undefined {
  return and(matching(messages, view), withinDays(messages.createdAt, view.filters, view.timeZone));
}

/** Returns the filters that messages and their counts have as columns. */
export function matching(rows: Rows, { workspaceId, filters }: LogView): SQL | undefined {
  return and(eq(rows.workspaceId, workspaceId), meeting(CONDITIONS, filters, rows));
}

type Rows = typeof messages | MessageCounts;

// A search, a recipient and days have no column of their own.
const CONDITIONS: Conditions<Omit<MessageFilters, "q" | "recipient" | "from" | "to">, Rows> = {
  status: (rows, status) => eq(rows.status, status),
  type: (rows, type) => eq(rows.type, type),
  line: (rows, id) => eq(rows.phoneNumberId, id),
  template: (rows, name) => eq(rows.templateName, name),
  key: (rows, id) => eq(rows.apiKeyId, id),
  code: (rows, code) => eq(rows.failureCode, Number(code)),
};

export function inMode({ mode }: LogView): SQL {
  return eq(messages.mode, mode);
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

/** Matches rows beyond the last count that was read, which begins at `start` and is of `lengthMs`. */
export function beyondCount(at: Column, direction: Direction, start: Date, lengthMs: number): SQL {
  return direction === "older" ? lt(at, start) : gte(at, new Date(start.getTime() + lengthMs));
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

export function timestamp(at: Date): SQL {
  return sql`${at.toISOString()}::timestamptz`;
}
