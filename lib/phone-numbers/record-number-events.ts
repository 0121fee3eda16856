import type { PoolName } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import type { AccountEvent, NoticeEvent, PhoneNumberEvent } from "@/lib/whatsapp/account-webhooks";
import { isAlarm } from "./notices";

/** The columns of its lines that the newest notice of a kind updates. */
type Changes = { verified_name?: string | null; messaging_limit?: string | null; throughput?: string | null };

/** Stores WhatsApp's events about numbers; returns those about unknown numbers. */
export function recordPhoneNumberEvents(events: PhoneNumberEvent[]): Promise<PhoneNumberEvent[]> {
  return recordNotices(events, (event) => ({
    number: event.displayPhoneNumber,
    verified_name: event.verifiedName,
    messaging_limit: event.detail.limit ?? null,
    throughput: event.kind === "THROUGHPUT_UPGRADE" ? "HIGH" : null,
  }));
}

/** Stores WhatsApp's events about business accounts; returns those about unknown accounts. */
export function recordAccountEvents(events: AccountEvent[]): Promise<AccountEvent[]> {
  return recordNotices(events, ({ detail }) => ({ number: "", messaging_limit: detail.limit ?? null }));
}

/** Stores the status that a check read from WhatsApp at `occurredAt`; it supersedes earlier events. */
export async function recordCheckedStatus(
  workspaceId: WorkspaceId,
  { account, number, status, occurredAt }: { account: string; number: string; status: string; occurredAt: Date },
): Promise<void> {
  const isFlagged = status === "FLAGGED";
  const about = { whatsappBusinessAccountId: account, detail: {}, occurredAt };
  const events = [
    { ...about, kind: "status", event: isFlagged ? "CONNECTED" : status },
    { ...about, kind: "flag", event: isFlagged ? "FLAGGED" : "UNFLAGGED" },
  ];
  await recordNotices(events, () => ({ number: number.replace(/\D/g, "") }), { workspaceId, pool: "requests" });
}

/**
 * One statement for all: of each kind, the event with the latest event time wins, so a late or repeated event
 * changes nothing. Events older than the line's last full check do not change its columns. Stores for every workspace that
 * has a live line of the account, or for one.
 */
async function recordNotices<E extends NoticeEvent>(
  events: E[],
  about: (event: E) => { number: string } & Changes,
  { workspaceId, pool = "webhooks" }: { workspaceId?: WorkspaceId; pool?: PoolName } = {},
): Promise<E[]> {
  if (events.length === 0) return [];
  const rows = events.map((event, index) => ({
    index,
    ...about(event),
    account: event.whatsappBusinessAccountId,
    kind: event.kind,
    event: event.event,
    detail: JSON.stringify(event.detail),
    occurred_at: event.occurredAt,
    is_alarm: isAlarm(event),
  }));
  const known = await onSql(
    (sql) => sql<{ index: number }[]>`
      with event as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (
          index int, account text, number text, kind text, event text, detail text, occurred_at timestamptz,
          is_alarm boolean, verified_name text, messaging_limit text, throughput text)
      ), meant as (
        select line.workspace_id, line.id, event.* from event
        join phone_numbers line on line.whatsapp_business_account_id = event.account
          and line.mode = 'live' and line.disconnected_at is null
          ${workspaceId === undefined ? sql`` : sql`and line.workspace_id = ${workspaceId}`}
          and (event.number = '' or regexp_replace(line.display_phone_number, '\\D', '', 'g') = event.number)
      ), latest as (
        select distinct on (workspace_id, account, number, kind) *
        from meant order by workspace_id, account, number, kind, occurred_at desc, is_alarm desc, event desc, detail desc
      ), stored as (
        insert into account_notices as n (
          workspace_id, whatsapp_business_account_id, number, kind, event, detail, occurred_at, is_alarm)
        select workspace_id, account, number, kind, event, detail, occurred_at, is_alarm from latest
        -- In one order, so that two groups about the same accounts never end in a deadlock.
        order by workspace_id, account, number, kind
        on conflict (workspace_id, whatsapp_business_account_id, number, kind) do update set
            event = excluded.event, detail = excluded.detail, occurred_at = excluded.occurred_at,
            is_alarm = excluded.is_alarm
          where (n.occurred_at, n.is_alarm, n.event, n.detail)
            < (excluded.occurred_at, excluded.is_alarm, excluded.event, excluded.detail)
        returning workspace_id, whatsapp_business_account_id as account, number, kind
      ), changed as (
        select meant.workspace_id, meant.id, max(latest.verified_name) as verified_name,
          -- A number's own notice and its portfolio's both bring the limit, as kinds of their own: the newest counts.
          (array_agg(latest.messaging_limit order by latest.occurred_at desc, latest.kind desc)
            filter (where latest.messaging_limit is not null and not exists (
              select from account_notices o
              where o.workspace_id = meant.workspace_id and o.whatsapp_business_account_id = latest.account
                and o.number in ('', regexp_replace(p.display_phone_number, '\\D', '', 'g'))
                and o.detail::json ->> 'limit' is not null
                and (o.occurred_at, o.kind) > (latest.occurred_at, latest.kind)
            )))[1] as messaging_limit,
          max(latest.throughput) as throughput
        from stored join latest using (workspace_id, account, number, kind)
        join meant using (workspace_id, account, number, kind)
        join phone_numbers p on p.workspace_id = meant.workspace_id and p.id = meant.id
          and (p.token_checked_at is null or date_trunc('second', p.token_checked_at) <= latest.occurred_at)
        where coalesce(latest.verified_name, latest.messaging_limit, latest.throughput) is not null
        group by meant.workspace_id, meant.id
      ), locked as (
        select p.workspace_id, p.id from phone_numbers p join changed using (workspace_id, id)
        order by p.workspace_id, p.id for no key update of p
      ), moved as (
        update phone_numbers p set updated_at = now(),
          verified_name = coalesce(changed.verified_name, p.verified_name),
          messaging_limit = coalesce(changed.messaging_limit, p.messaging_limit),
          throughput = coalesce(changed.throughput, p.throughput)
        from changed join locked using (workspace_id, id)
        where p.workspace_id = changed.workspace_id and p.id = changed.id
      )
      select distinct index from meant`,
    { pool },
  );
  const ours = new Set(known.map(({ index }) => index));
  return events.filter((_, index) => !ours.has(index));
}
