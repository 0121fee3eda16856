import type { Fragment, Sql } from "postgres";
import { inTransaction, type PoolName } from "./client";
import { onSql, rawSql } from "./raw-sql";
import type { JobKind } from "./schema/identity";

/** How the jobs of a kind are claimed. */
export type Queue = {
  kind: JobKind;
  pool: PoolName;
  /** Longer than an attempt: after this the jobs of a process that died go to others. */
  leaseSeconds: number;
  /** How many jobs of one cause are done together; 1 by default. */
  most?: number;
  /** What else a due `job` needs to be begun. */
  isReady?: (sql: Sql) => Fragment;
};

/** A job that was claimed. `startedAt`, in database time, identifies the attempt. */
export type Job<Payload> = {
  id: string;
  workspaceId: string | null;
  userId: string | null;
  payload: Payload;
  /** With this one. */
  attempts: number;
  startedAt: string;
};

/** Whether no attempt of `job` is under way. */
export function isFree(sql: Sql): Fragment {
  return sql`(job.leased_until is null or job.leased_until < clock_timestamp())`;
}

/**
 * Claims what is due of the cause that has waited longest and has no attempt under way: some of its jobs, or none. Claims of a
 * kind are serialized, so that each sees all earlier ones. Nothing stays open while the work is done.
 */
export function claimJobs<Payload>(queue: Queue): Promise<Job<Payload>[]> {
  const { kind, most = 1, pool, isReady } = queue;
  return inTransaction(
    async (tx) => {
      const sql = rawSql(tx);
      await sql`select pg_advisory_xact_lock(hashtextextended(${`jobs ${kind}`}, 0))`;
      const isDue = sql`job.kind = ${kind} and job.due_at <= clock_timestamp() and ${isFree(sql)}
        and coalesce(job.expires_at > now(), true) and ${isReady?.(sql) ?? sql`true`}`;
      return lease<Payload>(
        sql,
        queue,
        sql`
          with turn as materialized (
            select job.cause from jobs job
            where ${isDue} and job.cause <> all (array(
              select under_way.cause from jobs under_way
              where under_way.kind = ${kind} and under_way.leased_until > clock_timestamp()))
            order by job.due_at, job.id limit 1 for no key update skip locked)
          select job.id from jobs job where ${isDue} and job.cause = (select cause from turn)
          order by job.due_at, job.id limit ${most} for no key update skip locked`,
      );
    },
    { pool },
  );
}

/** Leases the jobs whose ids `chosen` selects and locks. */
export function lease<Payload>(sql: Sql, { kind, leaseSeconds }: Queue, chosen: Fragment) {
  return sql<Job<Payload>[]>`
    with chosen as materialized (${chosen})
    update jobs job set attempts = job.attempts + 1, started_at = statement_timestamp(),
      leased_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    where job.kind = ${kind} and job.id = any (array(select id from chosen))
    returning job.id, job.workspace_id as "workspaceId", job.user_id as "userId", job.payload, job.attempts,
      job.started_at::text as "startedAt"`;
}

/** Ends an attempt that leaves nothing to do. */
export function removeJobs({ kind, pool }: Queue, jobs: readonly Job<unknown>[]): Promise<unknown> {
  return onSql((sql) => sql`delete from jobs job where job.kind = ${kind} and ${isOneOf(sql, jobs)}`, { pool });
}

/**
 * Ends an attempt: its jobs are due again after `waitSeconds`, a number or an expression of `job` as it is by now. `lastError` is
 * why, if it failed.
 */
export function postponeJobs(
  { kind, pool }: Queue,
  jobs: readonly Job<unknown>[],
  { waitSeconds, lastError = null }: { waitSeconds: number | ((sql: Sql) => Fragment); lastError?: string | null },
): Promise<unknown> {
  return onSql(
    (sql) => sql`
      update jobs job set leased_until = null, last_error = ${lastError}, due_at = clock_timestamp()
        + make_interval(secs => ${typeof waitSeconds === "number" ? waitSeconds : waitSeconds(sql)})
      where job.kind = ${kind} and ${isOneOf(sql, jobs)}`,
    { pool },
  );
}

/** Whether `job` is one of these and still in the same attempt: only who holds the lease may end it. */
export function isOneOf(sql: Sql, jobs: readonly Job<unknown>[]): Fragment {
  const rows = JSON.stringify(jobs.map(({ id, startedAt }) => ({ id, startedAt })));
  return sql`(job.id, job.started_at) in (
    select id, "startedAt"::timestamptz from json_to_recordset(${rows}::text::json) as held (id text, "startedAt" text))`;
}
