import { instantArray, onSql } from "@/db/raw-sql";
import { lastDays } from "@/lib/core/local-time";
import type { WorkspaceId } from "@/lib/core/principal";

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
  const [responses] = await onSql(
    (sql) => sql<Responses[]>`
      select count(*)::int as attempts, (count(*) filter (where status_code between 200 and 299))::int as delivered,
        count(status_code)::int as answered,
        (percentile_cont(0.5) within group (order by duration_ms) filter (where status_code is not null))::float8 as p50,
        (percentile_cont(0.95) within group (order by duration_ms) filter (where status_code is not null))::float8 as p95
      from (
        select id from (
          select id, attempts, created_at from webhook_deliveries
          where workspace_id = ${workspaceId} and endpoint_id = ${endpointId}
          order by created_at desc, id desc limit ${MAX_LOOKED_AT}) newest
        where attempts > 0 order by created_at desc, id desc limit ${RECENT_DELIVERIES}
      ) recent cross join lateral (
        -- With a limit, so that each is found by key: a join could scan all attempts.
        select status_code, duration_ms from webhook_attempts
        where workspace_id = ${workspaceId} and delivery_id = recent.id order by number desc limit ${MAX_ATTEMPTS}
      ) tried`,
  );
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
  const starts = lastDays(CHART_DAYS, new Date(), timeZone).map(({ since }) => since);
  const rows = await onSql(
    (sql) => sql<{ day: number; all: number; ok: number; errors: number }[]>`
      select width_bucket(created_at, ${instantArray(starts)}::text::timestamptz[]) as day,
        count(*)::int as "all", (count(*) filter (where state = 'DELIVERED'))::int as ok,
        (count(*) filter (where state = 'FAILED'))::int as errors
      from (
        select state, created_at from webhook_deliveries
        where workspace_id = ${workspaceId} and endpoint_id = ${endpointId}
        order by created_at desc, id desc limit ${MAX_LOOKED_AT}) newest
      group by 1`,
  );
  const isCut = rows.reduce((sum, { all }) => sum + all, 0) >= MAX_LOOKED_AT;
  // What came before the first day is day 0.
  const oldest = Math.min(...rows.map(({ day }) => day));
  const whole = rows.filter(({ day }) => !(isCut && day === oldest && rows.length > 1));
  return starts.map((_, index) => {
    const day = whole.find((row) => row.day === index + 1);
    return { ok: day?.ok ?? 0, errors: day?.errors ?? 0 };
  });
}
