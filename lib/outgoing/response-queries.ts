import { and, desc, eq, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookAttempts, webhookDeliveries } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** How an endpoint has responded lately. Durations are in milliseconds, of attempts with a response; null without one. */
export type Responses = {
  attempts: number;
  delivered: number;
  answered: number;
  p50: number | null;
  p95: number | null;
};

/** Deliveries whose attempts count, and how many are scanned for them: a backlog has no attempts yet. */
const RECENT_DELIVERIES = 500;
const MAX_LOOKED_AT = 10_000;
/** Per delivery; more than it can have without a replay. */
const MAX_ATTEMPTS = 20;

/** Over the attempts of the newest deliveries that have any. */
export async function getResponseStats(workspaceId: WorkspaceId, endpointId: string): Promise<Responses> {
  const { id, attempts, createdAt } = webhookDeliveries;
  const [responses] = await onDatabase((db) => {
    const newest = db
      .select({ id, attempts, createdAt })
      .from(webhookDeliveries)
      .where(rowsOf(webhookDeliveries, workspaceId, { endpointId }))
      .orderBy(desc(createdAt), desc(id))
      .limit(MAX_LOOKED_AT)
      .as("newest");
    const recent = db
      .select({ id: newest.id })
      .from(newest)
      .where(sql`${newest.attempts} > 0`)
      .orderBy(desc(newest.createdAt), desc(newest.id))
      .limit(RECENT_DELIVERIES)
      .as("recent");
    // Lateral with a limit, so that each is found by key: a join could scan all attempts.
    const tried = db
      .select({ statusCode: webhookAttempts.statusCode, durationMs: webhookAttempts.durationMs })
      .from(webhookAttempts)
      .where(and(rowsOf(webhookAttempts, workspaceId), eq(webhookAttempts.deliveryId, recent.id)))
      .orderBy(desc(webhookAttempts.number))
      .limit(MAX_ATTEMPTS)
      .as("tried");
    const isAnswered = sql`filter (where ${tried.statusCode} is not null)`;
    const percentile = (share: number) =>
      sql<
        number | null
      >`(percentile_cont(${share}::float8) within group (order by ${tried.durationMs}) ${isAnswered})::float8`;
    return db
      .select({
        attempts: sql<number>`count(*)::int`,
        delivered: sql<number>`(count(*) filter (where ${tried.statusCode} between 200 and 299))::int`,
        answered: sql<number>`(count(*) ${isAnswered})::int`,
        p50: percentile(0.5),
        p95: percentile(0.95),
      })
      .from(recent)
      .innerJoinLateral(tried, sql`true`);
  });
  return responses ?? { attempts: 0, delivered: 0, answered: 0, p50: null, p95: null };
}

/** Deliveries of a day that arrived, and that failed for good. */
export type DayOfDeliveries = { ok: number; errors: number };

const CHART_DAYS = 14;

/** Returns the days of the newest 10,000 deliveries, oldest first: a day of which only a part is counted is empty. */
export async function listDeliveryDays(
  workspaceId: WorkspaceId,
  { endpointId, timeZone }: { endpointId: string; timeZone: string },
): Promise<DayOfDeliveries[]> {
  const { state, createdAt, id } = webhookDeliveries;
  const ago = sql<number>`(now() at time zone ${timeZone})::date - (${createdAt} at time zone ${timeZone})::date`;
  const rows = await onDatabase((db) => {
    const newest = db
      .select({ state, daysAgo: ago.as("days_ago") })
      .from(webhookDeliveries)
      .where(rowsOf(webhookDeliveries, workspaceId, { endpointId }))
      .orderBy(desc(createdAt), desc(id))
      .limit(MAX_LOOKED_AT)
      .as("newest");
    return db
      .select({
        daysAgo: newest.daysAgo,
        all: sql<number>`count(*)::int`,
        ok: sql<number>`(count(*) filter (where ${newest.state} = 'DELIVERED'))::int`,
        errors: sql<number>`(count(*) filter (where ${newest.state} = 'FAILED'))::int`,
      })
      .from(newest)
      .groupBy(newest.daysAgo);
  });
  const isCut = rows.reduce((sum, { all }) => sum + all, 0) >= MAX_LOOKED_AT;
  const oldest = Math.max(...rows.map(({ daysAgo }) => daysAgo));
  const whole = rows.filter(({ daysAgo }) => !(isCut && daysAgo === oldest && rows.length > 1));
  return Array.from({ length: CHART_DAYS }, (_, index) => {
    const day = whole.find(({ daysAgo }) => daysAgo === CHART_DAYS - 1 - index);
    return { ok: day?.ok ?? 0, errors: day?.errors ?? 0 };
  });
}
