import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { apiKeys, apiRequests, messages, type Role, requestHours, users } from "@/db/schema";
import {
  beyondCursor,
  type PageCursor,
  type PagePlace,
  type PageStep,
  readingOrder,
  readKeysetPage,
} from "@/lib/core/keyset-page";
import { type Conditions, meeting, withinDays } from "@/lib/core/list-filters";
import { dayStart } from "@/lib/core/local-time";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { beyondCount, timestamp } from "@/lib/messages/list/conditions";
import { newestTo } from "@/lib/messages/list/log-queries";
import { rangesOf, type TimeRange } from "@/lib/messages/list/time-ranges";
import { PRICING } from "@/lib/messages/message-summary";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { RequestFilters } from "./request-filters";

const PER_PAGE = 50;
/** No count is longer: old ones are of an hour, the others of 15 minutes. */
const HOUR_MS = 60 * 60 * 1_000;

export type RequestList = {
  mode: Mode;
  filters: RequestFilters;
  /** The workspace's time zone, for the filters' days. */
  timeZone: string;
  /** Whose search by a part of a number is limited to what they see. */
  role: Role;
};

/** A page of the calls, newest first. */
export async function listRequests(workspaceId: WorkspaceId, { older, newer, ...list }: RequestList & PagePlace) {
  const { q } = list.filters;
  const sent = q === undefined ? [] : await newestTo({ workspaceId, ...list }, q);
  return readKeysetPage(
    { older, newer },
    {
      perPage: PER_PAGE,
      read: (step) => onDatabase((db) => readCalls(db, workspaceId, { ...list, ...step, sent })),
      cursorOf: ({ at, id }) => ({ createdAt: at, id }),
    },
  );
}

export type RequestSummary = Awaited<ReturnType<typeof readCalls>>[number];

/** Returns a call without its contents. */
export async function findRequest(workspaceId: WorkspaceId, requestId: string) {
  const [request] = await onDatabase((db) =>
    db
      .select({
        ...SUMMARY,
        ...columnsOf(apiRequests, "mode", "clientRequestId", "messageId", "userAgent", "platformMs", "apiKeyId"),
        keyLabel: apiKeys.label,
        triedBy: users.name,
        apiKey: apiKeys.apiKey,
        ...PRICING,
      })
      .from(apiRequests)
      .leftJoin(apiKeys, ownKey)
      .leftJoin(users, eq(users.id, apiKeys.trialOf))
      .leftJoin(
        messages,
        and(eq(messages.workspaceId, apiRequests.workspaceId), eq(messages.id, apiRequests.messageId)),
      )
      .where(rowsOf(apiRequests, workspaceId, { id: requestId })),
  );
  return request;
}

export type Request = NonNullable<Awaited<ReturnType<typeof findRequest>>>;

/** Returns a call's redacted contents. The caller checks permissions. */
export async function readRequestContents(workspaceId: WorkspaceId, requestId: string) {
  const [contents] = await onDatabase((db) =>
    db
      .select({ body: apiRequests.body, answer: apiRequests.answer })
      .from(apiRequests)
      .where(rowsOf(apiRequests, workspaceId, { id: requestId })),
  );
  return contents ?? { body: null, answer: null };
}

/** Returns whether a mode has any calls, to tell an empty log from one without matches. */
export async function hasRequests(workspaceId: WorkspaceId, mode: Mode): Promise<boolean> {
  const found = await onDatabase((db) =>
    db
      .select({ id: apiRequests.id })
      .from(apiRequests)
      .where(rowsOf(apiRequests, workspaceId, { mode }))
      .limit(1),
  );
  return found.length > 0;
}

const ownKey = and(eq(apiKeys.workspaceId, apiRequests.workspaceId), eq(apiKeys.id, apiRequests.apiKeyId));

const SUMMARY = {
  ...columnsOf(apiRequests, "id", "at", "operation", "method", "path", "status", "errorCode"),
  ...columnsOf(apiRequests, "ip", "durationMs", "idempotencyKey", "isReplay"),
};

const SUMMARY_NAMES = Object.keys(SUMMARY) as (keyof typeof SUMMARY)[];

/** With the messages to people who were searched for. */
type Reading = RequestList & PageStep & { sent: readonly string[] };

/**
 * Uses the counts to find hours with matches, so that rare matches are found among
 * millions of rows without a scan or an index per filter. Counts may include deleted calls, but never miss any.
 */
async function readCalls(db: Db, workspaceId: WorkspaceId, reading: Reading) {
  const { limit } = reading;
  const found: Awaited<ReturnType<typeof selectCalls>> = [];
  let last: Date | undefined;
  do {
    const hours = await selectHours(db, workspaceId, reading, last);
    const counted = hours.slice(0, hoursFor(limit - found.length, hours));
    const place = {
      ranges: rangesOf(
        counted.map(({ hour }) => hour),
        HOUR_MS,
      ),
      after: last,
    };
    last = counted.at(-1)?.hour;
    if (last) found.push(...(await selectCalls(db, workspaceId, reading, place)));
  } while (last && found.length < limit);
  return found.slice(0, limit);
}

/** Returns how many of the hours are needed for `wanted` calls. */
function hoursFor(wanted: number, hours: { count: number }[]): number {
  let sum = 0;
  const full = hours.findIndex(({ count }) => {
    sum += count;
    return sum >= wanted;
  });
  return full < 0 ? hours.length : full + 1;
}

/** Returns the next hours with possible matches, after `last` or from the cursor on. */
function selectHours(db: Db, workspaceId: WorkspaceId, reading: Reading, last: Date | undefined) {
  const { filters, direction, cursor, limit } = reading;
  const isOlder = direction === "older";
  // Ids are indexed, so their hours come from the calls themselves.
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
        isById ? matchingCalls(workspaceId, reading) : matchingCounts(workspaceId, reading),
        last && (isOlder ? sql`${hour} < ${timestamp(last)}` : sql`${hour} > ${timestamp(last)}`),
        cursor &&
          (isOlder ? sql`${hour} <= ${timestamp(cursor.createdAt)}` : sql`${hour} > ${timestamp(hourBefore(cursor))}`),
      ),
    )
    .groupBy(sql`1`)
    .orderBy(isOlder ? sql`1 desc` : sql`1`)
    .limit(limit);
}

function selectCalls(
  db: Db,
  workspaceId: WorkspaceId,
  reading: Reading,
  { ranges, after }: { ranges: TimeRange[]; after: Date | undefined },
) {
  const { direction, cursor, limit } = reading;
  const calls = db
    .select({ ...SUMMARY, workspaceId: apiRequests.workspaceId, apiKeyId: apiRequests.apiKeyId })
    .from(apiRequests)
    .where(
      and(
        matchingCalls(workspaceId, reading),
        sql`${apiRequests.at} >= range.since and ${apiRequests.at} < range.until`,
        // Each range covers a whole hour and may overlap those read before, so exclude what they had.
        after && beyondCount(apiRequests.at, direction, after, HOUR_MS),
        beyondCursor(apiRequests, { direction, cursor }),
      ),
    )
    .orderBy(...readingOrder(apiRequests, { direction }))
    .limit(limit)
    .as("calls");
  const shown = Object.fromEntries(SUMMARY_NAMES.map((name) => [name, calls[name]]));
  return db
    .select({ ...(shown as Pick<typeof calls, keyof typeof SUMMARY>), keyLabel: apiKeys.label, triedBy: users.name })
    .from(sql`json_to_recordset(${JSON.stringify(ranges)}::text::json) as range (since timestamptz, until timestamptz)`)
    .innerJoinLateral(calls, sql`true`)
    .leftJoin(apiKeys, and(eq(apiKeys.workspaceId, calls.workspaceId), eq(apiKeys.id, calls.apiKeyId)))
    .leftJoin(users, eq(users.id, apiKeys.trialOf))
    .orderBy(...readingOrder(calls, { direction }))
    .limit(limit);
}

const hourBefore = ({ createdAt }: PageCursor) => new Date(createdAt.getTime() - HOUR_MS);

/** Returns the filters that the counts have; counts outlive calls. */
function matchingCounts(workspaceId: WorkspaceId, { mode, filters, timeZone }: RequestList): SQL | undefined {
  const { from, to } = filters;
  return and(
    rowsOf(requestHours, workspaceId, { mode }),
    meeting(CONDITIONS, filters, requestHours),
    sql`${requestHours.startsAt} >= (select date_trunc('hour', min(r.at), 'UTC') from api_requests r where r.workspace_id = ${workspaceId})`,
    // Old counts are of an hour, which may reach into the first day.
    from === undefined
      ? undefined
      : sql`${requestHours.startsAt} > ${timestamp(dayStart(from, timeZone))} - interval '1 hour'`,
    withinDays(requestHours.startsAt, { to }, timeZone),
  );
}

function matchingCalls(workspaceId: WorkspaceId, { mode, filters, timeZone, sent }: Reading): SQL | undefined {
  const { q } = filters;
  return and(
    rowsOf(apiRequests, workspaceId, { mode }),
    meeting(CONDITIONS, filters, apiRequests),
    q === undefined
      ? undefined
      : or(eq(apiRequests.id, q), eq(apiRequests.idempotencyKey, q), inArray(apiRequests.messageId, [q, ...sent])),
    withinDays(apiRequests.at, filters, timeZone),
  );
}

type Rows = typeof apiRequests | typeof requestHours;

const CONDITIONS: Conditions<Omit<RequestFilters, "q" | "from" | "to">, Rows> = {
  status: (rows, [hundreds]) =>
    and(gte(rows.status, Number(hundreds) * 100), lt(rows.status, Number(hundreds) * 100 + 100)),
  code: (rows, code) => eq(rows.errorCode, code),
  key: (rows, id) => eq(rows.apiKeyId, id),
  operation: (rows, operation) => eq(rows.operation, operation),
  // A replay is a send that returned 200.
  replay: (rows, is) =>
    "isReplay" in rows
      ? eq(rows.isReplay, is === "yes")
      : is === "yes"
        ? and(eq(rows.operation, "send"), eq(rows.status, 200))
        : undefined,
};
