import { and, asc, desc, eq, gte, lt, or, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { apiKeys, apiRequests, type Mode } from "@/db/schema";
import type { PageCursor } from "@/lib/dashboard/page-cursor";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { RequestFilters } from "./request-filters";

const PER_PAGE = 50;

export type RequestList = {
  mode: Mode;
  filters: RequestFilters;
  /** Of the workspace, whose days the filters mean. */
  timeZone: string;
  older?: PageCursor | undefined;
  newer?: PageCursor | undefined;
};

/** A page of the calls, newest first: the one that follows `older`, or that precedes `newer`, or the first. */
export const listRequests = async (workspaceId: WorkspaceId, { older, newer, ...list }: RequestList) => {
  const matching = and(
    eq(apiRequests.workspaceId, workspaceId),
    eq(apiRequests.mode, list.mode),
    ...conditions(list.filters, list.timeZone),
  );
  const place = sql`(${apiRequests.at}, ${apiRequests.id})`;
  if (newer && !older) {
    const found = await onDatabase((db) =>
      selectRequests(db)
        .where(and(matching, sql`${place} > ${placeOf(newer)}`))
        .orderBy(asc(apiRequests.at), asc(apiRequests.id))
        .limit(PER_PAGE + 1),
    );
    // Fewer than a page of newer rows means that the first page is due, whole.
    if (found.length > PER_PAGE) {
      return { requests: found.slice(0, PER_PAGE).reverse(), hasNewer: true, hasOlder: true };
    }
  }
  const found = await onDatabase((db) =>
    selectRequests(db)
      .where(and(matching, older && sql`${place} < ${placeOf(older)}`))
      .orderBy(desc(apiRequests.at), desc(apiRequests.id))
      .limit(PER_PAGE + 1),
  );
  return { requests: found.slice(0, PER_PAGE), hasNewer: Boolean(older), hasOlder: found.length > PER_PAGE };
};

export type RequestSummary = Awaited<ReturnType<typeof listRequests>>["requests"][number];

/** Everything of a call but what was said in it. */
export const findRequest = async (workspaceId: WorkspaceId, requestId: string) => {
  const [request] = await onDatabase((db) =>
    db
      .select({
        ...SUMMARY,
        mode: apiRequests.mode,
        clientRequestId: apiRequests.clientRequestId,
        messageId: apiRequests.messageId,
        userAgent: apiRequests.userAgent,
        platformMs: apiRequests.platformMs,
        apiKey: apiKeys.apiKey,
      })
      .from(apiRequests)
      .leftJoin(apiKeys, ownKey)
      .where(and(eq(apiRequests.workspaceId, workspaceId), eq(apiRequests.id, requestId))),
  );
  return request;
};

export type Request = NonNullable<Awaited<ReturnType<typeof findRequest>>>;

/** What was said in a call, without its values: for those who may see it. */
export const readRequestContents = async (workspaceId: WorkspaceId, requestId: string) => {
  const [contents] = await onDatabase((db) =>
    db
      .select({ body: apiRequests.body, answer: apiRequests.answer })
      .from(apiRequests)
      .where(and(eq(apiRequests.workspaceId, workspaceId), eq(apiRequests.id, requestId))),
  );
  return contents ?? { body: null, answer: null };
};

/** Whether a mode has any call at all: an empty list may be nothing yet, or nothing that matches. */
export const hasRequests = async (workspaceId: WorkspaceId, mode: Mode): Promise<boolean> => {
  const found = await onDatabase((db) =>
    db
      .select({ id: apiRequests.id })
      .from(apiRequests)
      .where(and(eq(apiRequests.workspaceId, workspaceId), eq(apiRequests.mode, mode)))
      .limit(1),
  );
  return found.length > 0;
};

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
  keyLabel: apiKeys.label,
};

const selectRequests = (db: Db) => db.select(SUMMARY).from(apiRequests).leftJoin(apiKeys, ownKey);

const conditions = (
  { q, status, code, key, operation, replay, from, to }: RequestFilters,
  timeZone: string,
): (SQL | undefined)[] => [
  q === undefined
    ? undefined
    : or(eq(apiRequests.id, q), eq(apiRequests.messageId, q), eq(apiRequests.idempotencyKey, q)),
  status &&
    and(gte(apiRequests.status, Number(status[0]) * 100), lt(apiRequests.status, Number(status[0]) * 100 + 100)),
  code === undefined ? undefined : eq(apiRequests.errorCode, code),
  key === undefined ? undefined : eq(apiRequests.apiKeyId, key),
  operation && eq(apiRequests.operation, operation),
  replay && eq(apiRequests.isReplay, replay === "yes"),
  from === undefined ? undefined : sql`${apiRequests.at} >= (${from}::text::date)::timestamp at time zone ${timeZone}`,
  to === undefined ? undefined : sql`${apiRequests.at} < (${to}::text::date + 1)::timestamp at time zone ${timeZone}`,
];

const placeOf = ({ createdAt, id }: PageCursor) => sql`(${createdAt.toISOString()}::timestamptz, ${id})`;
