import { and, type Column, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { apiKeys, apiRequests, type Mode, requestHours } from "@/db/schema";
import { beyondCursor, type PagePlace, type PageStep, readingOrder, readKeysetPage } from "@/lib/core/keyset-page";
import type { PageCursor } from "@/lib/core/page-cursor";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { unread } from "@/lib/messages/conditions";
import { BUCKET_MS, rangesOf, type TimeRange } from "@/lib/messages/time-ranges";
import type { RequestFilters } from "./request-filters";

const PER_PAGE = 50;

export type RequestList = {
  mode: Mode;
  filters: RequestFilters;
  /** Of the workspace, whose days the filters mean. */
  timeZone: string;
};

/** A page of the calls, newest first. */
export function listRequests(workspaceId: WorkspaceId, { older, newer, ...list }: RequestList & PagePlace) {
  return readKeysetPage(
    { older, newer },
    {
      perPage: PER_PAGE,
      read: (step) => onDatabase((db) => readCalls(db, workspaceId, { ...list, ...step })),
      cursorOf: ({ at, id }) => ({ createdAt: at, id }),
    },
  );
}

export type RequestSummary = Awaited<ReturnType<typeof readCalls>>[number];

/** Everything of a call but what was said in it. */
export async function findRequest(workspaceId: WorkspaceId, requestId: string) {
  const [request] = await onDatabase((db) =>
    db
      .select({
        ...SUMMARY,
        keyLabel: apiKeys.label,
        mode: apiRequests.mode,
        clientRequestId: apiRequests.clientRequestId,
        messageId: apiRequests.messageId,
        userAgent: apiRequests.userAgent,
        platformMs: apiRequests.platformMs,
        apiKeyId: apiRequests.apiKeyId,
        apiKey: apiKeys.apiKey,
      })
      .from(apiRequests)
      .leftJoin(apiKeys, ownKey)
      .where(and(eq(apiRequests.workspaceId, workspaceId), eq(apiRequests.id, requestId))),
  );
  return request;
}

export type Request = NonNullable<Awaited<ReturnType<typeof findRequest>>>;

/** What was said in a call, without its values: for those who may see it. */
export async function readRequestContents(workspaceId: WorkspaceId, requestId: string) {
  const [contents] = await onDatabase((db) =>
    db
      .select({ body: apiRequests.body, answer: apiRequests.answer })
      .from(apiRequests)
      .where(and(eq(apiRequests.workspaceId, workspaceId), eq(apiRequests.id, requestId))),
  );
  return contents ?? { body: null, answer: null };
}

/** Whether a mode has any call at all: an empty list may be nothing yet, or nothing that matches. */
export async function hasRequests(workspaceId: WorkspaceId, mode: Mode): Promise<boolean> {
  const found = await onDatabase((db) =>
    db
      .select({ id: apiRequests.id })
      .from(apiRequests)
      .where(and(eq(apiRequests.workspaceId, workspaceId), eq(apiRequests.mode, mode)))
      .limit(1),
  );
  return found.length > 0;
}

const ownKey = and(eq(apiKeys.workspaceId, apiRequests.workspaceId), eq(apiKeys.id, apiRequests.apiKeyId));

const SUMMARY = {
  id: apiRequests.id,
  at: apiRequests.at,
  operation: apiRequests.operation,
  method: apiRequests.method,
  path: apiRequests.path,
  status: apiRequests.status,
  errorCode: apiRequests.errorCode,
  ip: apiRequests.ip,
  durationMs: apiRequests.durationMs,
  idempotencyKey: apiRequests.idempotencyKey,
  isReplay: apiRequests.isReplay,
};

type Reading = RequestList & PageStep;

/**
 * The counts say in which hours or quarters there is anything that matches, so that a rare thing is found among
 * millions without looking at each, and without an index for every filter. They may count more than is kept, never less.
 */
const readCalls = async (db: Db, workspaceId: WorkspaceId, reading: Reading) => {
  const { limit } = reading;
  const found: Awaited<ReturnType<typeof selectCalls>> = [];
  let last: Date | undefined;
  do {
    const hours = await selectHours(db, workspaceId, reading, last);
    const counted = hours.slice(0, hoursFor(limit - found.length, hours));
    const place = { ranges: rangesOf(counted.map(({ hour }) => hour)), after: last };
    last = counted.at(-1)?.hour;
    if (last) found.push(...(await selectCalls(db, workspaceId, reading, place)));
  } while (last && found.length < limit);
  return found.slice(0, limit);
};

/** How many of the hours hold `wanted` calls between them. */
const hoursFor = (wanted: number, hours: { count: number }[]): number => {
  let sum = 0;
  const full = hours.findIndex(({ count }) => {
    sum += count;
    return sum >= wanted;
  });
  return full < 0 ? hours.length : full + 1;
};

/** The next hours beyond `last`, or from the page's place on, that have anything to look at. */
const selectHours = (db: Db, workspaceId: WorkspaceId, reading: Reading, last: Date | undefined) => {
  const { mode, filters, timeZone, direction, cursor, limit } = reading;
  const isOlder = direction === "older";
  // An id has an index of its own, and leads to its hours.
  const isById = filters.q !== undefined;
  const from = isById ? apiRequests : requestHours;
  const hour = isById
    ? sql<Date>`date_trunc('hour', ${apiRequests.at}, 'UTC')`.mapWith(apiRequests.at)
    : sql<Date>`${requestHours.startsAt}`.mapWith(requestHours.startsAt);
  const count = isById ? sql<number>`count(*)::int` : sql<number>`sum(${requestHours.count})::int`;
  return db
    .select({ hour, count })
    .from(from)
    .where(
      and(
        eq(from.workspaceId, workspaceId),
        eq(from.mode, mode),
        last && (isOlder ? sql`${hour} < ${instant(last)}` : sql`${hour} > ${instant(last)}`),
        cursor &&
          (isOlder ? sql`${hour} <= ${instant(cursor.createdAt)}` : sql`${hour} > ${instant(hourBefore(cursor))}`),
        ...(isById ? conditions(filters, timeZone) : countedConditions(workspaceId, filters, timeZone)),
      ),
    )
    .groupBy(sql`1`)
    .orderBy(isOlder ? sql`1 desc` : sql`1`)
    .limit(limit);
};

const selectCalls = (
  db: Db,
  workspaceId: WorkspaceId,
  { mode, filters, timeZone, direction, cursor, limit }: Reading,
  { ranges, after }: { ranges: TimeRange[]; after: Date | undefined },
) => {
  const calls = db
    .select({ ...SUMMARY, workspaceId: apiRequests.workspaceId, apiKeyId: apiRequests.apiKeyId })
    .from(apiRequests)
    .where(
      and(
        eq(apiRequests.workspaceId, workspaceId),
        eq(apiRequests.mode, mode),
        sql`${apiRequests.at} >= range.since and ${apiRequests.at} < range.until`,
        // An hour reaches over the quarters in it, so what lies in the last one that was read has been read with it.
        after && unread(apiRequests.at, direction, after),
        beyondCursor(apiRequests, { direction, cursor }),
        ...conditions(filters, timeZone),
      ),
    )
    .orderBy(...readingOrder(apiRequests, { direction }))
    .limit(limit)
    .as("calls");
  const { id, at, operation, method, path, status, errorCode, ip, durationMs, idempotencyKey, isReplay } = calls;
  return db
    .select({
      id,
      at,
      operation,
      method,
      path,
      status,
      errorCode,
      ip,
      durationMs,
      idempotencyKey,
      isReplay,
      keyLabel: apiKeys.label,
    })
    .from(sql`json_to_recordset(${JSON.stringify(ranges)}::text::json) as range (since timestamptz, until timestamptz)`)
    .innerJoinLateral(calls, sql`true`)
    .leftJoin(apiKeys, and(eq(apiKeys.workspaceId, calls.workspaceId), eq(apiKeys.id, calls.apiKeyId)))
    .orderBy(...readingOrder(calls, { direction }))
    .limit(limit);
};

const hourBefore = ({ createdAt }: PageCursor) => new Date(createdAt.getTime() - BUCKET_MS);
const instant = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/** Of the filters those that the counts know; they outlive the calls. A replay is a send that is answered with 200. */
const countedConditions = (
  workspaceId: WorkspaceId,
  { status, code, key, operation, replay, from, to }: RequestFilters,
  timeZone: string,
): (SQL | undefined)[] => [
  sql`${requestHours.startsAt} >= (select date_trunc('hour', min(r.at), 'UTC') from api_requests r where r.workspace_id = ${workspaceId})`,
  status && inClass(requestHours.status, status),
  code === undefined ? undefined : eq(requestHours.errorCode, code),
  key === undefined ? undefined : eq(requestHours.apiKeyId, key),
  operation && eq(requestHours.operation, operation),
  replay === "yes" ? and(eq(requestHours.operation, "send"), eq(requestHours.status, 200)) : undefined,
  from === undefined ? undefined : sql`${requestHours.startsAt} > ${startOf(from, timeZone)} - interval '1 hour'`,
  to === undefined ? undefined : sql`${requestHours.startsAt} < ${endOf(to, timeZone)}`,
];

const inClass = (status: Column, [hundreds]: string) =>
  and(gte(status, Number(hundreds) * 100), lt(status, Number(hundreds) * 100 + 100));

const conditions = (
  { q, status, code, key, operation, replay, from, to }: RequestFilters,
  timeZone: string,
): (SQL | undefined)[] => [
  q === undefined
    ? undefined
    : or(eq(apiRequests.id, q), eq(apiRequests.messageId, q), eq(apiRequests.idempotencyKey, q)),
  status && inClass(apiRequests.status, status),
  code === undefined ? undefined : eq(apiRequests.errorCode, code),
  key === undefined ? undefined : eq(apiRequests.apiKeyId, key),
  operation && eq(apiRequests.operation, operation),
  replay && eq(apiRequests.isReplay, replay === "yes"),
  from === undefined ? undefined : sql`${apiRequests.at} >= ${startOf(from, timeZone)}`,
  to === undefined ? undefined : sql`${apiRequests.at} < ${endOf(to, timeZone)}`,
];

/** The day's own length where clocks are changed: Postgres knows the zone. */
const startOf = (day: string, timeZone: string) => sql`(${day}::text::date::timestamp at time zone ${timeZone})`;
const endOf = (day: string, timeZone: string) => sql`((${day}::text::date + 1)::timestamp at time zone ${timeZone})`;
