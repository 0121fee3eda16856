import type { Fragment, Sql } from "postgres";
import { inTransaction, type Transaction } from "@/db/client";
import { claimJobs, isFree, isOneOf, type Job, lease, postponeJobs, type Queue } from "@/db/jobs";
import { isOneOfMany, onSql, rawSql, readInstant } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { cutText } from "@/lib/core/text";

/** Minimum time between the starts of two reads. */
const MIN_READ_INTERVAL_SECONDS = 60;
/** How often the whole list is read without any event. */
const EVERY_SECONDS = 6 * 60 * 60;
/** Spreads accounts that become due at the same time. */
const SPREAD_SECONDS = 10 * 60;
/** The longest wait after failures; it doubles from the minimum with each consecutive one. */
const LONGEST_WAIT_SECONDS = 60 * 60;
/** Requested reads go before due ones, unless those have waited longer than this. */
const HEAD_START_MINUTES = 10;

/**
 * Only one account per workspace is read at a time, so that many or slow accounts leave room for others. An account whose
 * tokens are all refused is skipped. A read takes at most 100 s plus storing.
 */
const QUEUE: Queue = {
  kind: "templates",
  pool: "webhooks",
  leaseSeconds: 150,
  isReady: (sql) => sql`exists (
    select from phone_numbers line where line.workspace_id = job.workspace_id and line.mode = 'live'
      and line.whatsapp_business_account_id = job.payload ->> 'account'
      and line.disconnected_at is null and line.token_problem is null)`,
};

type Account = {
  account: string;
  /** When the whole list is due. */
  wholeAt: string;
  /** Set while a webhook or a person waits for a read: of one template name, or empty for the whole list. */
  asked?: string;
  /** When it was last asked for. If it is another time after a read than before it, the read does not cover the request. */
  askedAt?: string;
};

/** A claim on one read of an account's templates. */
export type TemplateRead = {
  workspaceId: WorkspaceId;
  whatsappBusinessAccountId: string;
  /** Null for the whole list. */
  name: string | null;
  job: Job<Account>;
};

/** The time between two reads of `job`: longer after each failed one, but for a line or token that has come since. */
const waitOf = (sql: Sql): Fragment =>
  sql`least(${MIN_READ_INTERVAL_SECONDS} * 2 ^ least(greatest(job.attempts - 1, 0), 10), ${LONGEST_WAIT_SECONDS})`;

/** The earliest start of the next read of `job`; null if there was none. */
const notBefore = (sql: Sql) => sql`job.started_at + ${waitOf(sql)} * interval '1 second'`;

/** Claims the next due read; undefined if there is none. */
export async function claimDueRead(): Promise<TemplateRead | undefined> {
  const [job] = await claimJobs<Account>(QUEUE);
  if (!job) return undefined;
  const { asked, wholeAt } = job.payload;
  return readOf(job, asked && readInstant(wholeAt) > readInstant(job.startedAt) ? asked : null);
}

function readOf(job: Job<Account>, name: string | null): TemplateRead {
  const workspaceId = provenWorkspaceId(job.workspaceId ?? "");
  return { workspaceId, whatsappBusinessAccountId: job.payload.account, name, job };
}

/**
 * Claims a read of one account for a waiting caller, even after failures. Undefined if it was read within the
 * last minute, is being read, or more than `name` is due or requested: queue it then.
 */
export async function claimReadOf(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId, name }: { whatsappBusinessAccountId: string; name: string | null },
): Promise<TemplateRead | undefined> {
  const [job] = await inTransaction(async (tx) => {
    const sql = rawSql(tx);
    const account = sql`select ${workspaceId}::text, ${whatsappBusinessAccountId}::text, null, null::jsonb, ${inSixHours(sql)}`;
    await sql`with ${queueing(sql, account, sql`do nothing`)} select from queued`;
    return lease<Account>(
      sql,
      QUEUE,
      sql`
        select job.id from jobs job
        where job.kind = ${QUEUE.kind} and job.id = ${idOf(workspaceId, whatsappBusinessAccountId)} and ${isFree(sql)}
          and (job.started_at is null or job.started_at <= clock_timestamp() - make_interval(secs => ${MIN_READ_INTERVAL_SECONDS}))
          and (${name === null} or not (job.payload ? 'asked' or (job.payload ->> 'wholeAt')::timestamptz <= clock_timestamp()))
        for no key update`,
    );
  });
  return job && readOf(job, name);
}

const MAX_ERROR_CHARACTERS = 500;

/**
 * Ends a successful read. Reads requested since it started stay queued, and statuses reported in the last
 * day are kept: their templates may be missing from this list.
 */
export async function finishRead({ workspaceId, whatsappBusinessAccountId, name, job }: TemplateRead): Promise<void> {
  const everySeconds = EVERY_SECONDS + Math.random() * SPREAD_SECONDS;
  await onSql(
    (sql) => {
      const wholeAt =
        name === null
          ? sql`job.started_at + make_interval(secs => ${everySeconds})`
          : sql`(job.payload ->> 'wholeAt')::timestamptz`;
      const isAskedAgain = sql`coalesce(job.payload ->> 'askedAt' <> ${job.payload.askedAt ?? ""}, false)`;
      return sql`
        with kept as (
          update template_reads set reported = (
            select jsonb_object_agg(report.key, report.value) from jsonb_each(reported) report
            where (report.value #>> '{}')::timestamptz > now() - interval '1 day')
          where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${whatsappBusinessAccountId}
            and reported is not null
        )
        update jobs job set leased_until = null, attempts = 0, last_error = null,
          payload = case when ${isAskedAgain} then job.payload else job.payload - '{asked,askedAt}'::text[] end
            || jsonb_build_object('wholeAt', ${wholeAt}),
          due_at = greatest(job.started_at + make_interval(secs => ${MIN_READ_INTERVAL_SECONDS}),
            case when not ${isAskedAgain} then ${wholeAt} end)
        where job.kind = ${QUEUE.kind} and ${isOneOf(sql, [job])}`;
    },
    { pool: QUEUE.pool },
  );
}

/** Ends a failed read: it stays queued, with a longer wait after each consecutive failure. */
export async function failRead({ job }: TemplateRead, reason: string): Promise<void> {
  await postponeJobs(QUEUE, [job], { waitSeconds: waitOf, lastError: cutText(reason, MAX_ERROR_CHARACTERS) });
}

/** Bounds the statuses remembered per account: some 800 of templates that no read has returned; more are dropped. */
const MAX_REPORTED_BYTES = 65_536;

function idOf(workspaceId: WorkspaceId, whatsappBusinessAccountId: string): string {
  return `${workspaceId}/${whatsappBusinessAccountId}`;
}

const inSixHours = (sql: Sql) => sql`now() + make_interval(secs => ${EVERY_SECONDS})`;

/**
 * Parts of a `with` that store accounts, with statuses that were reported, and queue their reads. `given` selects workspace,
 * account, the name asked for (null: none, empty: the whole list), statuses, and when the whole list is due.
 */
const queueing = (sql: Sql, given: Fragment, onConflict: Fragment) => sql`
  given (workspace_id, account, asked, reported, whole_at) as materialized (${given}), known as (
    insert into template_reads as known (workspace_id, whatsapp_business_account_id, reported)
    select workspace_id, account, reported from given order by 1, 2
    on conflict (workspace_id, whatsapp_business_account_id) do update set reported = coalesce(known.reported, '{}') || excluded.reported
    where excluded.reported is not null and octet_length(coalesce(known.reported, '{}')::text) <= ${MAX_REPORTED_BYTES}
  ), queued as (
    insert into jobs as job (kind, id, cause, workspace_id, due_at, payload)
    select ${QUEUE.kind}, workspace_id || '/' || account, workspace_id, workspace_id,
      case when asked is null then whole_at else now() - make_interval(mins => ${HEAD_START_MINUTES}) end,
      jsonb_build_object('account', account, 'wholeAt', whole_at)
        || case when asked is null then '{}' else jsonb_build_object('asked', asked, 'askedAt', now()) end
    from given order by workspace_id, account
    on conflict (kind, id) ${onConflict} returning 1
  )`;

/** Queues reads of `asked`. One name stays one name; two names, or a name and a queued full read, become a full read. */
const requested = (sql: Sql, asked: Fragment) =>
  queueing(
    sql,
    sql`select workspace_id, account, coalesce(name, ''), reported, ${inSixHours(sql)} from (${asked}) asked (workspace_id, account, name, reported)`,
    sql`do update set
      -- Not the statement's time: a read that was claimed while this waited for the row does not cover it.
      payload = job.payload || jsonb_build_object('askedAt', clock_timestamp(), 'asked',
        case when coalesce(job.payload ->> 'asked' = excluded.payload ->> 'asked', true) then excluded.payload ->> 'asked' else '' end),
      due_at = least(job.due_at, greatest(excluded.due_at, ${notBefore(sql)}))`,
  );

/** Queues a read of an account's whole list, even after failed reads, because its line or token is new. */
export async function queueRead(
  tx: Transaction,
  workspaceId: WorkspaceId,
  whatsappBusinessAccountId: string,
): Promise<void> {
  const sql = rawSql(tx);
  const account = sql`select ${workspaceId}::text, ${whatsappBusinessAccountId}::text, null, null::jsonb, now()`;
  const dueNow = sql`do update set attempts = 0, payload = job.payload || jsonb_build_object('wholeAt', now()),
    due_at = greatest(now(), job.started_at + make_interval(secs => ${MIN_READ_INTERVAL_SECONDS}))`;
  await sql`with ${queueing(sql, account, dueNow)} select from queued`;
}

/** Queues a read of an account's list, or of one template name, for a waiting caller. */
export async function queueRequestedRead(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId, name }: { whatsappBusinessAccountId: string; name: string | null },
): Promise<void> {
  await onSql((sql) => {
    const asked = sql`select ${workspaceId}::text, ${whatsappBusinessAccountId}::text, ${name}::text, null::jsonb`;
    return sql`with ${requested(sql, asked)} select from queued`;
  });
}

/** A template that a webhook mentions. `isGone` if it was deleted, so there is nothing to read. */
export type MentionedTemplate = {
  whatsappBusinessAccountId: string;
  whatsappTemplateId: string | null;
  name: string | null;
  language: string | null;
  isGone: boolean;
  /** The event leaves the status unknown: only a read can determine it. */
  isStatusUnknown: boolean;
  /** The status in the event. */
  status: string | null;
  occurredAt: Date;
};

/**
 * Queues reads for every workspace that has connected the account of one of these templates and does not know the
 * template, and remembers the status that was reported of it: a list does not say since when. Returns which of them, by
 * their place, belong to an account that is connected here, and whether anything was queued.
 */
export async function queueUnknownTemplates(
  templates: readonly MentionedTemplate[],
): Promise<{ connected: Set<number>; isQueued: boolean }> {
  if (templates.length === 0) return { connected: new Set(), isQueued: false };
  const rows = templates.map((template, index) => ({ index, ...template }));
  const seen = await onSql((sql) => queueRows(sql, rows), { pool: QUEUE.pool });
  const [{ indexes = [], queued = 0 } = {}] = seen;
  return { connected: new Set(indexes), isQueued: queued > 0 };
}

const queueRows = (sql: Sql, rows: object[]) => sql<{ indexes: number[]; queued: number }[]>`
  with event as (
    select index, "whatsappBusinessAccountId" as account, "whatsappTemplateId" as template, name, language,
      "isGone" as is_gone, "isStatusUnknown" as is_status_unknown, status, "occurredAt" as occurred_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (
      index int, "whatsappBusinessAccountId" text, "whatsappTemplateId" text, name text, language text,
      "isGone" boolean, "isStatusUnknown" boolean, status text, "occurredAt" timestamptz)
  ), concerned as (
    select distinct line.workspace_id, event.* from event
    join phone_numbers line on line.whatsapp_business_account_id = event.account
      and line.mode = 'live' and line.disconnected_at is null
  ), unseen as (
    select workspace_id, account, case when count(distinct name) = 1 and bool_and(name is not null) then min(name) end as name,
      jsonb_object_agg(name || '/' || language || '/' || status, occurred_at order by occurred_at)
        filter (where name is not null and language is not null and status is not null) as reported
    from concerned where not is_gone and (is_status_unknown or not exists (
      select from templates t where t.workspace_id = concerned.workspace_id and t.mode = 'live'
        and t.whatsapp_business_account_id = concerned.account
        and (t.whatsapp_template_id = concerned.template
          or (t.name = concerned.name and t.language = concerned.language))))
    group by workspace_id, account
    -- In one order, so that two groups of events never end in a deadlock.
    order by workspace_id, account
  ), ${requested(sql, sql`select workspace_id, account, name, reported from unseen`)}
  select (select coalesce(json_agg(distinct index), '[]') from concerned) as indexes,
    (select count(*)::int from queued) as queued`;

/**
 * Adds each connected account to the queue, however its line was created. One without templates is due now;
 * one with templates, from a provisioning file, is due at the regular interval, and one of 0.6 when it was due there.
 */
export async function queueNewAccounts(): Promise<void> {
  await onSql((sql) => sql`with ${queueing(sql, newAccounts(sql), sql`do nothing`)} select from queued`, {
    pool: QUEUE.pool,
  });
  await onSql(takeFormerRequests, { pool: QUEUE.pool });
}

const newAccounts = (sql: Sql) => sql`
  select line.workspace_id, line.whatsapp_business_account_id, null, null::jsonb, coalesce(former.due_at,
    case when exists (
      select from templates t where t.workspace_id = line.workspace_id and t.mode = 'live'
        and t.whatsapp_business_account_id = line.whatsapp_business_account_id
    ) then now() + make_interval(secs => ${EVERY_SECONDS} + random() * ${SPREAD_SECONDS}) else now() end)
  from (
    select distinct workspace_id, whatsapp_business_account_id from phone_numbers
    where mode = 'live' and disconnected_at is null
  ) line
  left join lateral (
    select former.due_at from template_reads former
    where ${isOneOfMany(sql, sql`former.workspace_id`, sql`line.workspace_id`)}
      and former.whatsapp_business_account_id = line.whatsapp_business_account_id
    limit 1) former on true
  -- One look-up by key for each line, whatever the statistics say.
  left join lateral (
    select true as is_queued from jobs job
    where job.kind = ${QUEUE.kind} and job.id = line.workspace_id || '/' || line.whatsapp_business_account_id
    limit 1) job on true
  where job.is_queued is null`;

/** Takes over what servers of 0.6 were asked to read and did not begin. The next release drops the columns. */
const takeFormerRequests = (sql: Sql) => sql`
  with former as (
    update template_reads set asked_at = null, asked_name = null
    where asked_at < now() - interval '2 minutes' and coalesce(claimed_until < now(), true)
    returning workspace_id || '/' || whatsapp_business_account_id as id
  )
  update jobs job set payload = job.payload || jsonb_build_object('asked', '', 'askedAt', clock_timestamp()),
    due_at = least(job.due_at, greatest(now(), ${notBefore(sql)}))
  from former where job.kind = ${QUEUE.kind} and job.id = former.id`;
