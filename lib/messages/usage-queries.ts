import { and, type Column, desc, eq, gte, isNotNull, ne, notInArray, or, type SQL, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import {
  apiKeys,
  apiRequests,
  durationHours,
  type MessageCounts,
  type Mode,
  messageDays,
  messageHours,
  phoneNumbers,
  requestHours,
} from "@/db/schema";
import type { BucketCount } from "@/lib/core/duration-scale";
import type { WorkspaceId } from "@/lib/core/principal";
import { WINDOW_MS } from "@/lib/limits/limiter";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { USAGE_RANGES, type UsageFilters } from "./usage-range";

// These queries read the roll-ups, so their cost depends on the hours or days in the range, not on the messages.

export type UsageScope = Pick<UsageFilters, "range" | "line" | "key"> & { mode: Mode; timeZone: string };

/** Counts messages created in the range by bar and current status; empty bars are omitted. */
export function listStatusCounts(workspaceId: WorkspaceId, scope: UsageScope) {
  const counts = countsOf(scope);
  const bucket =
    scope.range === "24h"
      ? sql<string>`(1000 * extract(epoch from ${counts.startsAt}))::bigint::text`
      : sql<string>`to_char(${counts.startsAt} at time zone ${scope.timeZone}, 'YYYY-MM-DD')`;
  return onDatabase((db) =>
    db
      .select({ bucket, status: counts.status, count: sum(counts.count) })
      .from(counts)
      .where(createdIn(counts, workspaceId, scope))
      .groupBy(counts.startsAt, counts.status),
  );
}

/** Failed messages by WhatsApp's code (0 where it gave none), most first. */
export function listFailureCounts(workspaceId: WorkspaceId, scope: UsageScope) {
  const counts = countsOf(scope);
  return onDatabase((db) =>
    db
      .select({ code: counts.failureCode, count: sum(counts.count) })
      .from(counts)
      .where(and(createdIn(counts, workspaceId, scope), eq(counts.status, "FAILED")))
      .groupBy(counts.failureCode)
      .orderBy(desc(sum(counts.count)), counts.failureCode),
  );
}

/** Counts failed calls by error code, most first. Not by line, which is unknown until a call is parsed. */
export function listErrorCounts(workspaceId: WorkspaceId, scope: UsageScope) {
  return onDatabase((db) =>
    db
      .select({ code: requestHours.errorCode, count: sum(requestHours.count) })
      .from(requestHours)
      .where(
        and(
          rowsOf(requestHours, workspaceId, { mode: scope.mode, apiKeyId: scope.key }),
          gte(requestHours.startsAt, startOf(scope)),
          ne(requestHours.errorCode, ""),
        ),
      )
      .groupBy(requestHours.errorCode)
      .orderBy(desc(sum(requestHours.count)), requestHours.errorCode),
  );
}

export type Durations = Record<"ours" | "platform" | "delivery", BucketCount[]>;

/** Returns send durations, ours and WhatsApp's, and from sent to delivered, over all lines and keys. */
export async function getDurations(workspaceId: WorkspaceId, scope: UsageScope): Promise<Durations> {
  const rows = await onDatabase((db) =>
    db
      .select({ kind: durationHours.kind, bucket: durationHours.bucket, count: sum(durationHours.count) })
      .from(durationHours)
      .where(and(rowsOf(durationHours, workspaceId, { mode: scope.mode }), gte(durationHours.startsAt, startOf(scope))))
      .groupBy(durationHours.kind, durationHours.bucket),
  );
  const of = (kind: keyof Durations) => rows.filter((row) => row.kind === kind);
  return { ours: of("ours"), platform: of("platform"), delivery: of("delivery") };
}

const MAX_SHARES = 100;

export type ShareKind = "key" | "line" | "template";

/** Counts messages created in the range by key, line or template, most first; an empty id means none. */
export function listShares(workspaceId: WorkspaceId, scope: UsageScope, kind: ShareKind) {
  const counts = countsOf(scope);
  const { id, name } = {
    key: { id: counts.apiKeyId, name: labelIn(apiKeys, workspaceId, counts.apiKeyId) },
    line: { id: counts.phoneNumberId, name: labelIn(phoneNumbers, workspaceId, counts.phoneNumberId) },
    template: { id: counts.templateName, name: sql<string | null>`${counts.templateName}` },
  }[kind];
  const among = (statuses: SQL) =>
    sql<number>`coalesce(sum(${counts.count}) filter (where ${counts.status} in (${statuses})), 0)::int`;
  return onDatabase((db) =>
    db
      .select({
        id,
        name,
        total: sum(counts.count),
        delivered: among(sql`'DELIVERED', 'READ'`),
        read: among(sql`'READ'`),
        failed: among(sql`'FAILED'`),
      })
      .from(counts)
      .where(createdIn(counts, workspaceId, scope))
      .groupBy(id)
      .orderBy(desc(sum(counts.count)), id)
      .limit(MAX_SHARES),
  );
}

const labelIn = (named: typeof apiKeys | typeof phoneNumbers, workspaceId: WorkspaceId, id: Column) =>
  sql<
    string | null
  >`(select named.label from ${named} named where named.workspace_id = ${workspaceId} and named.id = ${id})`;

export type Share = Awaited<ReturnType<typeof listShares>>[number];

/** Returns the IP address and key with the most calls in the current rate-limit window, from the request log. */
export function getHeaviestCallers(workspaceId: WorkspaceId, now: Date) {
  return onDatabase(async (db) => {
    const startsAt = new Date(Math.floor(now.getTime() / WINDOW_MS) * WINDOW_MS);
    const recent = and(rowsOf(apiRequests, workspaceId), gte(apiRequests.at, startsAt));
    const calls = sql<number>`count(*)::int`;
    const [[address], [key]] = await Promise.all([
      db
        .select({ ip: apiRequests.ip, calls })
        .from(apiRequests)
        .where(recent)
        .groupBy(apiRequests.ip)
        .orderBy(desc(calls))
        .limit(1),
      db
        .select({ label: apiKeys.label, calls })
        .from(apiRequests)
        .innerJoin(apiKeys, and(eq(apiKeys.workspaceId, apiRequests.workspaceId), eq(apiKeys.id, apiRequests.apiKeyId)))
        .where(and(recent, tookFromKey))
        .groupBy(apiKeys.id, apiKeys.label)
        .orderBy(desc(calls))
        .limit(1),
    ]);
    return { address, key, resetsAt: new Date(startsAt.getTime() + WINDOW_MS) };
  });
}

/**
 * Matches calls that counted against the key's limit; not those rate-limited, unauthenticated, with a wrong path or
 * method, too large or too slow. Only later refusals have a stored body, including those simulated by a test number.
 */
const tookFromKey = or(
  isNotNull(apiRequests.body),
  and(notInArray(apiRequests.status, [401, 405, 408, 413, 429]), ne(apiRequests.operation, "other")),
);

const countsOf = ({ range }: UsageScope) => (range === "24h" ? messageHours : messageDays);

const createdIn = (counts: MessageCounts, workspaceId: WorkspaceId, scope: UsageScope) =>
  and(
    rowsOf(counts, workspaceId, { mode: scope.mode, phoneNumberId: scope.line, apiKeyId: scope.key }),
    gte(counts.startsAt, startOf(scope)),
  );

/** The beginning of the range's first bar. */
const startOf = ({ range, timeZone }: UsageScope) =>
  range === "24h"
    ? sql`date_trunc('hour', now(), ${timeZone}) - interval '23 hours'`
    : sql`(date_trunc('day', now() at time zone ${timeZone}) - make_interval(days => ${USAGE_RANGES[range] - 1}))
        at time zone ${timeZone}`;

const sum = (column: Column) => sql<number>`coalesce(sum(${column}), 0)::int`;
