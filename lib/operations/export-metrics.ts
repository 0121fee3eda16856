import { onSql } from "@/db/raw-sql";
import { measureReplicaLag } from "@/db/replica-lag";
import { MARKS } from "@/db/schema";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { frontDoor, type PagesState } from "@/lib/core/own-server";
import { mergeMetrics, ownMetrics, type Reading } from "@/lib/core/telemetry";
import { unknownPath } from "@/lib/http/api-route";
import type { Answer, Call } from "@/lib/http/call";
import { gatherMetrics } from "@/lib/http/metrics-sockets";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
/** Counting stops here, so that a scrape costs the same however long the queue is. */
const MAX_COUNTED = 100_000;

/**
 * Returns the metrics of all processes of this server and of the deployment's database in Prometheus' text format, if
 * the bearer token is METRICS_TOKEN. Otherwise throws NOT_FOUND, as for an unknown path.
 */
export async function exportMetrics(call: Call): Promise<Answer> {
  const token = env().METRICS_TOKEN;
  const given = call.headers.get("authorization") ?? "";
  if (!token || !isSameSecret(given, `Bearer ${token}`)) throw unknownPath(call, "See /docs for what does.");
  const door = frontDoor();
  const [processes, deployment, replica] = await Promise.all([
    door?.pagesSocket && process.platform !== "win32" ? gatherMetrics(door.pagesSocket) : [(await ownMetrics()) ?? []],
    deploymentMetrics(),
    replicaMetrics(),
  ]);
  const body = await mergeMetrics([
    ...processes,
    deployment,
    replica,
    door?.pagesState ? serverMetrics(door.pagesState()) : [],
  ]);
  return { status: 200, headers: { "Content-Type": CONTENT_TYPE }, body };
}

/** What a server's processes cannot say of themselves once they are gone. */
const serverMetrics = (pages: PagesState) => [
  asGauge("switchboard_pages_up", "Whether the page process takes requests.", [
    { value: pages === "starting" ? 0 : 1 },
  ]),
  asGauge("switchboard_workers", "API processes that this server keeps running.", [{ value: env().WORKERS }]),
];

async function replicaMetrics(): Promise<unknown[]> {
  if (!env().DATABASE_REPLICA_URL) return [];
  const value = await measureReplicaLag().catch(() => Number.POSITIVE_INFINITY);
  const help = "How old the data of the read replica is; infinite where it cannot be used.";
  return [asGauge("switchboard_replica_lag_seconds", help, [{ value }])];
}

async function deploymentMetrics(): Promise<unknown[]> {
  const counts = await countAll().catch((error: unknown) => {
    log("warn", "metrics.database", errorFields(error));
  });
  const up = asGauge("switchboard_database_up", "Whether the database answered this scrape.", [
    { value: counts ? 1 : 0 },
  ]);
  if (!counts) return [up];
  const { open, pending, oldestSeconds, mails, mailSeconds, sweepAgeSeconds } = counts;
  return [
    up,
    asGauge(
      "switchboard_messages_open",
      "Messages whose outcome is not known yet, by the time since they were created.",
      open.map(({ count, ...labels }) => ({ value: count, labels })),
    ),
    asGauge("switchboard_deliveries_pending", `Events that wait for a partner, counted to ${MAX_COUNTED}.`, [
      { value: pending },
    ]),
    asGauge("switchboard_deliveries_oldest_due_seconds", "How long the oldest due event has waited.", [
      { value: oldestSeconds },
    ]),
    asGauge(
      "switchboard_mails_waiting",
      "Mails that the mail server did not accept yet, by the reason.",
      mails.map(({ count, ...labels }) => ({ value: count, labels })),
    ),
    asGauge(
      "switchboard_mails_oldest_due_seconds",
      "How long the oldest due mail has waited; alerts are gathered for 10 minutes.",
      [{ value: mailSeconds }],
    ),
    asGauge("switchboard_sweep_age_seconds", "Time since the last pass of the sweeper; infinite before the first.", [
      { value: sweepAgeSeconds },
    ]),
  ];
}

/** As prom-client's registries give them. */
const asGauge = (name: string, help: string, readings: readonly Reading[]) => ({
  name,
  help,
  type: "gauge",
  aggregator: "sum",
  values: readings.map(({ value, labels = {} }) => ({ value, labels })),
});

type Counts = {
  open: { status: string; age: string; count: number }[];
  pending: number;
  oldestSeconds: number;
  mails: { reason: string; count: number }[];
  mailSeconds: number;
  sweepAgeSeconds: number;
};

async function countAll(): Promise<Counts | undefined> {
  const [row] = await onSql(
    (sql) => sql<Counts[]>`
      with open as (
        select m.phase, case when m.created_at > now() - interval '1 minute' then '1m'
          when m.created_at > now() - interval '10 minutes' then '10m'
          when m.created_at > now() - interval '1 hour' then '1h'
          when m.created_at > now() - interval '1 day' then '1d' else 'older' end as age
        from (
          (select phase, created_at from messages where phase in ('ACCEPTED', 'DISPATCHING') limit ${MAX_COUNTED}::int)
          union all
          (select phase, created_at from messages where phase = 'UNKNOWN' and status = 'UNKNOWN'
            order by created_at desc limit ${MAX_COUNTED}::int)
        ) m
      )
      select
        coalesce((select json_agg(counted) from (
          select case when phase = 'UNKNOWN' then 'UNKNOWN' else 'PENDING' end as status, age, count(*)::int as count
          from open group by 1, 2) counted), '[]') as open,
        (select count(*)::int from (
          select from webhook_deliveries where state = 'PENDING' and next_attempt_at <= 'infinity' limit ${MAX_COUNTED}::int) d) as pending,
        coalesce((select extract(epoch from now() - min(due.at)) from webhook_endpoints e cross join lateral (
          select d.next_attempt_at as at from webhook_deliveries d
          where d.workspace_id = e.workspace_id and d.endpoint_id = e.id collate "C" and d.state = 'PENDING' and not d.is_refused
            and d.next_attempt_at < 'infinity' and d.next_attempt_at <= now()
          order by d.next_attempt_at limit 1) due
          where e.deleted_at is null and e.paused_at is null), 0)::float8 as "oldestSeconds",
        coalesce((select json_agg(waiting) from (
          select last_error as reason, count(*)::int as count from jobs
          where kind in ('mail', 'alertMail') and last_error is not null group by 1) waiting), '[]') as mails,
        coalesce((select extract(epoch from now() - min(due_at)) from jobs
          where kind in ('mail', 'alertMail') and due_at <= now()), 0)::float8 as "mailSeconds",
        coalesce(extract(epoch from now() - (select until from roll_up_marks where id = ${MARKS.swept})), 'Infinity')::float8 as "sweepAgeSeconds"`,
    { pool: "records" },
  );
  return row;
}
