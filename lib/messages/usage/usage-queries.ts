import { and, type Column, desc, eq, gte, isNotNull, ne, notInArray, or, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { apiKeys, apiRequests, durationHours, type MessageStatus, requestHours } from "@/db/schema";
import type { BucketCount } from "@/lib/core/duration-scale";
import type { WorkspaceId } from "@/lib/core/principal";
import { WINDOW_MS } from "@/lib/limits/rate-limit";
import { countsOfSpans } from "@/lib/workspaces/counts-of-spans";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { UsageScope } from "./usage-range";

// These queries read the roll-ups, so their cost depends on the hours or days in the range, not on the messages.

/** Counts messages created in the range by bar and current status; empty bars are omitted. */
export function listStatusCounts(workspaceId: WorkspaceId, scope: UsageScope) {
  return onSql(
    (sql) => sql<{ bucket: string; status: MessageStatus; count: number }[]>`
      select span as bucket, status, sum(count)::int as count
      from (${countsOfSpans(sql, "messages", { workspaceId, ...scope })}) counts group by span, status`,
  );
}

/** Failed messages by WhatsApp's code (0 where it gave none), most first. */
export function listFailureCounts(workspaceId: WorkspaceId, scope: UsageScope) {
  return onSql(
    (sql) => sql<{ code: number; count: number }[]>`
      select failure_code as code, sum(count)::int as count
      from (${countsOfSpans(sql, "messages", { workspaceId, ...scope })}) counts
      where status = 'FAILED' group by failure_code order by 2 desc, 1`,
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
          startedIn(requestHours.startsAt, scope),
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
      .where(and(rowsOf(durationHours, workspaceId, { mode: scope.mode }), startedIn(durationHours.startsAt, scope)))
      .groupBy(durationHours.kind, durationHours.bucket),
  );
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return { ours: of("ours"), platform: of("platform"), delivery: of("arrival") };
}

const MAX_SHARES = 100;

export type ShareKind = "key" | "line" | "template";

/** Counts messages created in the range by key, line or template, most first; an empty id means none. */
export function listShares(workspaceId: WorkspaceId, scope: UsageScope, kind: ShareKind) {
  return onSql((sql) => {
    const named = (table: string) =>
      sql`(select named.label from ${sql(table)} named where named.workspace_id = ${workspaceId} and named.id = shares.id)`;
    const { id, name } = {
      key: { id: "api_key_id", name: named("api_keys") },
      line: { id: "phone_number_id", name: named("phone_numbers") },
      template: { id: "template_name", name: sql`id` },
    }[kind];
    return sql<{ id: string; name: string | null; total: number; delivered: number; read: number; failed: number }[]>`
      select shares.*, ${name} as name
      from (
        select ${sql(id)} as id, sum(count)::int as total,
          coalesce(sum(count) filter (where status in ('DELIVERED', 'READ')), 0)::int as delivered,
          coalesce(sum(count) filter (where status = 'READ'), 0)::int as read,
          coalesce(sum(count) filter (where status = 'FAILED'), 0)::int as failed
        from (${countsOfSpans(sql, "messages", { workspaceId, ...scope })}) counts
        group by ${sql(id)} order by 2 desc, 1 limit ${MAX_SHARES}
      ) shares order by total desc, id`;
  });
}

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

const startedIn = (startsAt: Column, { spans }: UsageScope) => gte(startsAt, spans[0]?.since ?? new Date());

const sum = (column: Column) => sql<number>`coalesce(sum(${column}), 0)::int`;
