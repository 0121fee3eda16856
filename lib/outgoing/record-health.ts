import type { Fragment, Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { log } from "@/lib/core/log";
import { LONGEST_RETRY_AFTER_SECONDS, secondsOfHold } from "./outcome";
import { SLOW_MS } from "./slots";

/** An endpoint's results over some attempts. */
export type Health = {
  workspaceId: string;
  endpointId: string;
  /** The URL that was called. If it was changed since, the report does not apply. */
  url: string;
  /** False, with no failures, if it only refused events. */
  isUp: boolean;
  isGone: boolean;
  failures: number;
  /** The hold that its Retry-After headers asked for. */
  holdSeconds: number;
  /** The longest attempt. */
  answerMs: number;
};

/** An endpoint that has failed for this long is paused. */
const MAX_FAILING_DAYS = 5;
/** Longer than any retry delay: after a gap like this the count of failing days restarts. */
const QUIET_DAYS = 2;

/** Hold times by consecutive failures; the last applies to all higher counts. */
const HOLDS = Array.from({ length: 12 }, (_, failures) => secondsOfHold(failures));

function keyOfHealth({ workspaceId, endpointId, url }: Health): string {
  return `${workspaceId}/${endpointId} ${url}`;
}

/** Merges reports, one per endpoint. */
export function joinHealth(reports: readonly Health[]): Health[] {
  const joined = new Map<string, Health>();
  for (const report of reports) {
    const known = joined.get(keyOfHealth(report));
    joined.set(keyOfHealth(report), known ? join(known, report) : report);
  }
  return [...joined.values()];
}

const join = (one: Health, other: Health): Health => ({
  ...one,
  isUp: one.isUp || other.isUp,
  isGone: one.isGone || other.isGone,
  failures: one.failures + other.failures,
  holdSeconds: Math.max(one.holdSeconds, other.holdSeconds),
  answerMs: Math.max(one.answerMs, other.answerMs),
});

/**
 * Stores endpoint health, and pauses endpoints that returned 410 or failed for days. Returns the reports to write
 * later, so that one locked endpoint does not block the others. Throws DatabaseUnavailable.
 */
export async function recordHealth(reports: readonly Health[]): Promise<Health[]> {
  if (reports.length === 0) return [];
  const given = reports.map((report) => ({
    ...report,
    key: keyOfHealth(report),
    holdSeconds: Math.min(report.holdSeconds, LONGEST_RETRY_AFTER_SECONDS),
  }));
  const rows = await onSql(
    (sql) => sql<{ key: string; workspace_id: string; id: string; paused_by: string | null; is_news: boolean }[]>`
      with report as (
        select "workspaceId" as workspace_id, "endpointId" as endpoint_id, "isUp" as is_up, "isGone" as is_gone,
          "answerMs" as answer_ms, report.*
        from json_to_recordset(${JSON.stringify(given)}::text::json) as report (
          key text, "workspaceId" text, "endpointId" text, url text, "isUp" boolean, "isGone" boolean, failures int,
          "holdSeconds" float8, "answerMs" int)
      ), endpoint as (
        select r.key, e.workspace_id, e.id, r.is_up, r.is_gone, r.is_up or r.failures > 0 as is_telling, e.held_until,
          case when e.answer_ms is null then r.answer_ms else (3 * e.answer_ms + r.answer_ms) / 4 end as answer_ms,
          now() + make_interval(secs => r."holdSeconds") as asked_until,
          case when r.is_up then 0 when was.is_failing then e.failures + r.failures else r.failures end as failures,
          case when not r.is_up then case when was.is_failing then e.failing_since else now() end end as failing_since
        from webhook_endpoints e join report r on r.workspace_id = e.workspace_id and r.endpoint_id = e.id and r.url = e.url
        -- A failure holds the endpoint at least until then, so held_until is never before the last failure.
        cross join lateral (
          select e.failing_since is not null
            and coalesce(e.held_until, now()) > now() - make_interval(days => ${QUIET_DAYS}) as is_failing
        ) was
        where e.deleted_at is null and ${needsWrite(sql)}
        for no key update of e skip locked
      ), updated as (
        update webhook_endpoints e set
          answer_ms = n.answer_ms,
          failures = case when n.is_telling then n.failures else e.failures end,
          failing_since = case when n.is_telling then n.failing_since else e.failing_since end,
          held_until = case
            when not n.is_telling then e.held_until
            -- A hold from Retry-After stays; one from failures ends with a success.
            when n.is_up and (n.held_until is null or n.held_until <= ${holdEnd(sql, "e.failures")}) then n.asked_until
            else greatest(n.held_until, n.asked_until, ${holdEnd(sql, "n.failures")}) end,
          paused_at = case
            when e.paused_at is not null then e.paused_at
            when n.is_gone or n.is_telling and n.failing_since < now() - make_interval(days => ${MAX_FAILING_DAYS}) then now() end,
          paused_by = case
            when e.paused_at is not null then e.paused_by
            when n.is_gone then 'gone'
            when n.is_telling and n.failing_since < now() - make_interval(days => ${MAX_FAILING_DAYS}) then 'failing' end
        from endpoint n where e.workspace_id = n.workspace_id and e.id = n.id
        returning n.key, e.workspace_id, e.id, e.paused_by, e.paused_at = now() as is_news
      )
      select key, workspace_id, id, paused_by, is_news from updated
      union all
      -- Nothing to write: it is healthy, was deleted, or has another URL now.
      select r.key, r.workspace_id, r.endpoint_id, null, false from report r
      where not exists (
        select from webhook_endpoints e
        where e.workspace_id = r.workspace_id and e.id = r.endpoint_id and e.url = r.url and e.deleted_at is null
          and ${needsWrite(sql)})`,
    { pool: "deliveries" },
  );
  for (const { workspace_id: workspaceId, id: endpointId, paused_by: reason } of rows.filter((row) => row.is_news)) {
    log("warn", "webhook-endpoint.paused", { workspaceId, endpointId, reason });
  }
  const written = new Set(rows.map(({ key }) => key));
  return reports.filter((report) => !written.has(keyOfHealth(report)));
}

/** The end of a hold that begins now, after so many failures. */
const holdEnd = (sql: Sql, failures: "e.failures" | "n.failures"): Fragment => sql`
  now() + make_interval(secs =>
    (${JSON.stringify(HOLDS)}::text::jsonb ->> least(${sql.unsafe(failures)}, ${HOLDS.length - 1}))::float8)`;

/** Skips the write for a healthy endpoint: its response time is stored only if it is or becomes slow. */
const needsWrite = (sql: Sql): Fragment =>
  sql`(r.failures > 0 or (r.is_up and e.failures > 0) or greatest(e.answer_ms, r.answer_ms) >= ${SLOW_MS}::int
    or e.answer_ms is null)`;
