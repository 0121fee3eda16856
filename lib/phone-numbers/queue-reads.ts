import type { Fragment, Sql } from "postgres";
import { inTransaction, type Transaction } from "@/db/client";
import { onSql, rawSql, readInstant } from "@/db/raw-sql";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { cutText } from "@/lib/core/text";

/** Minimum time between the starts of two reads. */
const MIN_READ_INTERVAL_SECONDS = 60;
/** How often the whole list is read without any event. */
const EVERY_SECONDS = 6 * 60 * 60;
/** Spreads accounts that become due at the same time. */
const SPREAD_SECONDS = 10 * 60;
/** A read takes at most 100 s plus storing, so after this time its reader must have died. */
const CLAIM_SECONDS = 150;

/** The wait after a failure; doubles with each consecutive one, up to an hour. */
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 60 * 60;

/** A claim on one read of an account's templates. `startedAt`, in database time, identifies the read. */
export type TemplateRead = {
  workspaceId: WorkspaceId;
  whatsappBusinessAccountId: string;
  /** Null for the whole list. */
  name: string | null;
  startedAt: Date;
};

/** Requested reads go before due ones, unless those have waited longer than this. */
const HEAD_START_MINUTES = 10;

/**
 * Claims the next due read; undefined if there is none. Only one account per workspace is read at a time, so
 * that many or slow accounts leave room for others. An account whose tokens are all refused is skipped.
 */
export function claimDueRead(): Promise<TemplateRead | undefined> {
  return inTransaction(
    async (tx) => {
      // Claims are serialized: each sees all earlier ones, so two never claim the same workspace.
      const sql = rawSql(tx);
      await sql`select pg_advisory_xact_lock(hashtextextended('template reads', 0))`;
      return claim(
        sql,
        sql`
            select due.workspace_id, due.whatsapp_business_account_id as account,
              case when due.due_at > clock_timestamp() then due.asked_name end as name
            from template_reads due
            where (due.due_at <= clock_timestamp() or due.asked_at is not null) and due.not_before <= clock_timestamp()
              and (due.claimed_until is null or due.claimed_until < clock_timestamp())
              and exists (
                select from phone_numbers line where line.workspace_id = due.workspace_id and line.mode = 'live'
                  and line.whatsapp_business_account_id = due.whatsapp_business_account_id
                  and line.disconnected_at is null and line.token_problem is null)
              and not exists (
                select from template_reads other
                where other.workspace_id = due.workspace_id and other.claimed_until > clock_timestamp())
            order by least(due.asked_at - make_interval(mins => ${HEAD_START_MINUTES}), due.due_at), due.workspace_id
            limit 1 for no key update of due skip locked`,
      );
    },
    { pool: "webhooks" },
  );
}

/**
 * Claims a read of one account for a waiting caller, even after failures. Undefined if it was read within the
 * last minute or is being read. A read by `name` becomes a whole list if one is due or requested.
 */
export function claimReadOf(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId, name }: { whatsappBusinessAccountId: string; name: string | null },
): Promise<TemplateRead | undefined> {
  return inTransaction(async (tx) => {
    const sql = rawSql(tx);
    await sql`
        insert into template_reads (workspace_id, whatsapp_business_account_id, due_at, not_before)
        values (${workspaceId}, ${whatsappBusinessAccountId}, now() + ${EVERY_SECONDS} * interval '1 second', now())
        on conflict do nothing`;
    return claim(
      sql,
      sql`
          select r.workspace_id, r.whatsapp_business_account_id as account, ${name}::text as name
          from template_reads r
          where r.workspace_id = ${workspaceId} and r.whatsapp_business_account_id = ${whatsappBusinessAccountId}
            and (r.claimed_until is null or r.claimed_until < clock_timestamp())
            and (r.started_at is null or r.started_at <= clock_timestamp() - ${MIN_READ_INTERVAL_SECONDS} * interval '1 second')
            and (${name === null} or (r.due_at > clock_timestamp() and r.asked_at is null))
          for no key update of r`,
    );
  });
}

async function claim(sql: Sql, chosen: Fragment): Promise<TemplateRead | undefined> {
  const [row] = await sql<
    { workspaceId: string; whatsappBusinessAccountId: string; name: string | null; startedAt: string }[]
  >`
    with chosen as (${chosen})
    update template_reads r set
      started_at = clock_timestamp(),
      not_before = clock_timestamp() + ${MIN_READ_INTERVAL_SECONDS} * interval '1 second',
      claimed_until = clock_timestamp() + ${CLAIM_SECONDS} * interval '1 second'
    from chosen
    where r.workspace_id = chosen.workspace_id and r.whatsapp_business_account_id = chosen.account
    returning r.workspace_id as "workspaceId", r.whatsapp_business_account_id as "whatsappBusinessAccountId",
      chosen.name, r.started_at as "startedAt"`;
  return row && { ...row, workspaceId: provenWorkspaceId(row.workspaceId), startedAt: readInstant(row.startedAt) };
}

const MAX_ERROR_CHARACTERS = 500;

/**
 * Ends a successful read. Reads requested since it started stay queued, and statuses reported in the last
 * day are kept: their templates may be missing from this list.
 */
export function finishRead(read: TemplateRead): Promise<void> {
  return finish(
    read,
    (sql) => sql`failures = 0, last_error = null,
      ${read.name === null ? sql`due_at = started_at + (${EVERY_SECONDS} + random() * ${SPREAD_SECONDS}) * interval '1 second',` : sql``}
      reported = (
        select jsonb_object_agg(report.key, report.value) from jsonb_each(reported) report
        where (report.value #>> '{}')::timestamptz > now() - interval '1 day'),
      asked_name = case when asked_at > started_at then asked_name end,
      asked_at = case when asked_at > started_at then asked_at end`,
  );
}

/** Ends a failed read: it stays queued, with a longer wait after each consecutive failure. */
export function failRead(read: TemplateRead, reason: string): Promise<void> {
  return finish(
    read,
    (sql) => sql`failures = failures + 1, last_error = ${cutText(reason, MAX_ERROR_CHARACTERS)},
      not_before = clock_timestamp() + interval '1 second'
        * least(${FIRST_WAIT_SECONDS} * 2 ^ least(failures, 10), ${LONGEST_WAIT_SECONDS})`,
  );
}

/** Only the reader that still holds the claim may write. */
async function finish(
  { workspaceId, whatsappBusinessAccountId, startedAt }: TemplateRead,
  columns: (sql: Sql) => Fragment,
): Promise<void> {
  await onSql(
    (sql) => sql`
        update template_reads set claimed_until = null, ${columns(sql)}
        where workspace_id = ${workspaceId} and whatsapp_business_account_id = ${whatsappBusinessAccountId}
          and started_at = ${startedAt.toISOString()}::timestamptz`,
    { pool: "webhooks" },
  );
}

/** Bounds the statuses remembered per account: some 800 of templates that no read has returned; more are dropped. */
const MAX_REPORTED_BYTES = 65_536;

/** Queues a read of an account's whole list, even after failed reads, because its line or token is new. */
export async function queueRead(
  tx: Transaction,
  workspaceId: WorkspaceId,
  whatsappBusinessAccountId: string,
): Promise<void> {
  const sql = rawSql(tx);
  await sql`
    insert into template_reads as r (workspace_id, whatsapp_business_account_id, due_at, not_before)
    values (${workspaceId}, ${whatsappBusinessAccountId}, now(), now())
    on conflict (workspace_id, whatsapp_business_account_id) do update set
      due_at = now(), failures = 0,
      not_before = greatest(now(), coalesce(r.started_at + ${MIN_READ_INTERVAL_SECONDS} * interval '1 second', now()))`;
}

/** Queues a read of an account's list, or of one template name, for a waiting caller. */
export async function queueRequestedRead(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId, name }: { whatsappBusinessAccountId: string; name: string | null },
): Promise<void> {
  await onSql((sql) => {
    return queueRequestedReads(
      sql,
      sql`select ${workspaceId}::text, ${whatsappBusinessAccountId}::text, ${name}::text, null::jsonb`,
    );
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
  const seen = await onSql((sql) => queueRows(sql, rows), { pool: "webhooks" });
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
  ), queued as (
    ${queueRequestedReads(sql, sql`select workspace_id, account, name, reported from unseen`)} returning 1
  )
  select (select coalesce(json_agg(distinct index), '[]') from concerned) as indexes,
    (select count(*)::int from queued) as queued`;

/** Queues requested reads. One name stays one name; two names, or a name and a queued full read, become a full read. */
const queueRequestedReads = (sql: Sql, asked: Fragment) => sql`
  insert into template_reads as r (workspace_id, whatsapp_business_account_id, due_at, asked_at, asked_name, not_before, reported)
  select asked.workspace_id, asked.account, now() + ${EVERY_SECONDS} * interval '1 second', now(), asked.name, now(), asked.reported
  from (${asked}) as asked (workspace_id, account, name, reported)
  on conflict (workspace_id, whatsapp_business_account_id) do update set
    -- Not the statement's time: a read that was claimed while this waited for the row does not cover it.
    asked_at = clock_timestamp(),
    reported = case when octet_length(r.reported::text) > ${MAX_REPORTED_BYTES} or excluded.reported is null then r.reported
      else coalesce(r.reported, '{}') || excluded.reported end,
    asked_name = case when r.asked_at is null or r.asked_name = excluded.asked_name then excluded.asked_name end`;

/**
 * Adds each connected account to the queue, however its line was created. One without templates is due now;
 * one with templates, from a provisioning file or an earlier release, is due at the regular interval.
 */
export function queueNewAccounts(): Promise<unknown> {
  return onSql((sql) => queueNew(sql), { pool: "webhooks" });
}

const queueNew = (sql: Sql) => sql`
    insert into template_reads (workspace_id, whatsapp_business_account_id, due_at, not_before)
    select line.workspace_id, line.whatsapp_business_account_id,
      case when exists (
        select from templates t where t.workspace_id = line.workspace_id and t.mode = 'live'
          and t.whatsapp_business_account_id = line.whatsapp_business_account_id
      ) then now() + (${EVERY_SECONDS} + random() * ${SPREAD_SECONDS}) * interval '1 second' else now() end, now()
    from (
      select distinct workspace_id, whatsapp_business_account_id from phone_numbers
      where mode = 'live' and disconnected_at is null
    ) line
    where not exists (
      select from template_reads r where r.workspace_id = line.workspace_id
        and r.whatsapp_business_account_id = line.whatsapp_business_account_id
    )
    order by 1, 2
    on conflict do nothing`;
