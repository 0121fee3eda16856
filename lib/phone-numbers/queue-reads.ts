import type { Fragment, Sql } from "postgres";
import type { Transaction } from "@/db/client";
import { onSql, rawSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import { EVERY_SECONDS, LEAST_APART_SECONDS, SPREAD_SECONDS } from "./template-reads";

/** Bounds the statuses remembered per account: some 800 of templates that no read has returned; more are dropped. */
const MOST_REPORTED_BYTES = 65_536;

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
      not_before = greatest(now(), coalesce(r.started_at + ${LEAST_APART_SECONDS} * interval '1 second', now()))`;
}

/** Queues a read of an account's list, or of one template name, for a waiting caller. */
export async function queueAskedRead(
  workspaceId: WorkspaceId,
  { whatsappBusinessAccountId, name }: { whatsappBusinessAccountId: string; name: string | null },
): Promise<void> {
  await onSql((sql) => {
    return ask(sql, sql`select ${workspaceId}::text, ${whatsappBusinessAccountId}::text, ${name}::text, null::jsonb`);
  });
}

/** A template that a webhook mentions. `isGone` if it was deleted, so there is nothing to read. */
export type NamedTemplate = {
  whatsappBusinessAccountId: string;
  whatsappTemplateId: string | null;
  name: string | null;
  language: string | null;
  isGone: boolean;
  /** The event leaves the template's status open: only a read can determine it. */
  isOpen: boolean;
  /** The status in the event. */
  status: string | null;
  occurredAt: Date;
};

/**
 * Queues reads for every workspace that has connected the account of one of these templates and does not know the
 * template, and remembers the status that was reported of it: a list does not say since when. Returns which of them, by their place, belong to an account that is connected here, and whether anything
 * was queued.
 */
export async function queueUnseen(
  templates: readonly NamedTemplate[],
): Promise<{ connected: Set<number>; isQueued: boolean }> {
  if (templates.length === 0) return { connected: new Set(), isQueued: false };
  const rows = templates.map(({ whatsappBusinessAccountId, whatsappTemplateId, ...template }, index) => ({
    index,
    account: whatsappBusinessAccountId,
    template: whatsappTemplateId,
    name: template.name,
    language: template.language,
    is_gone: template.isGone,
    is_open: template.isOpen,
    status: template.status,
    occurred_at: template.occurredAt,
  }));
  const seen = await onSql((sql) => queueRows(sql, rows), { pool: "webhooks" });
  const [{ indexes = [], queued = 0 } = {}] = seen;
  return { connected: new Set(indexes), isQueued: queued > 0 };
}

const queueRows = (sql: Sql, rows: object[]) => sql<{ indexes: number[]; queued: number }[]>`
  with event as (
    select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (
      index int, account text, template text, name text, language text, is_gone boolean, is_open boolean,
      status text, occurred_at timestamptz)
  ), concerned as (
    select distinct line.workspace_id, event.* from event
    join phone_numbers line on line.whatsapp_business_account_id = event.account
      and line.mode = 'live' and line.disconnected_at is null
  ), unseen as (
    select workspace_id, account, case when count(distinct name) = 1 and bool_and(name is not null) then min(name) end as name,
      jsonb_object_agg(name || '/' || language || '/' || status, occurred_at order by occurred_at)
        filter (where name is not null and language is not null and status is not null) as reported
    from concerned where not is_gone and (is_open or not exists (
      select from templates t where t.workspace_id = concerned.workspace_id and t.mode = 'live'
        and t.whatsapp_business_account_id = concerned.account
        and (t.whatsapp_template_id = concerned.template
          or (t.name = concerned.name and t.language = concerned.language))))
    group by workspace_id, account
    -- In one order, so that two groups of events never end in a deadlock.
    order by workspace_id, account
  ), queued as (
    ${ask(sql, sql`select workspace_id, account, name, reported from unseen`)} returning 1
  )
  select (select coalesce(json_agg(distinct index), '[]') from concerned) as indexes,
    (select count(*)::int from queued) as queued`;

/** Queues a read. One name stays one name; two names, or a name and a queued full read, become a full read. */
const ask = (sql: Sql, asked: Fragment) => sql`
  insert into template_reads as r (workspace_id, whatsapp_business_account_id, due_at, asked_at, asked_name, not_before, reported)
  select asked.workspace_id, asked.account, now() + ${EVERY_SECONDS} * interval '1 second', now(), asked.name, now(), asked.reported
  from (${asked}) as asked (workspace_id, account, name, reported)
  on conflict (workspace_id, whatsapp_business_account_id) do update set
    asked_at = now(),
    reported = case when octet_length(r.reported::text) > ${MOST_REPORTED_BYTES} or excluded.reported is null then r.reported
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
