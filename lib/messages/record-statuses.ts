import { onDatabase } from "@/db/client";
import type { Mode } from "@/db/schema";
import { type LearnedRecipient, learnRecipients } from "@/lib/contacts/learn-recipients";
import { ERASED_PHONE } from "@/lib/contacts/phone";
import { reachFaultPoint } from "@/lib/fault-points";
import { newId } from "@/lib/ids";
import { type CountedLine, countStatuses } from "@/lib/webhooks/count-webhooks";
import { REMOVED_REASON } from "./retention";
import { foldStatusEvents, type StatusChange, statusOfWord } from "./status";
import type { StatusEvent } from "./status-event";

/**
 * Keeps every event and moves its message: of our id on that line, else of the platform's, else once one is known.
 * Harmless to repeat in any order. `mode` names the only lines to touch; what is no news was counted when it came.
 * Answers with the events whose line is none of ours.
 */
export const recordStatuses = async (
  events: readonly StatusEvent[],
  { mode, isNews = true }: { mode?: Mode; isNews?: boolean } = {},
): Promise<StatusEvent[]> => {
  if (events.length === 0) return [];
  const changes = groupByMessage(events).map(([first, group]) => ({
    ...target(first),
    ...changeColumns(foldStatusEvents(group)),
    ...recipientColumns(group),
  }));
  const rows = withoutDoubles(events).map(({ event, repeats }) => ({
    ...{ id: newId("evt"), repeats },
    ...target(event),
    ...eventColumns(event),
  }));
  if (process.env.FAULT_POINTS) reachFaultPoint("webhook-before-commit");
  const known = await onDatabase(
    ({ $client: sql }) => sql<(CountedLine & { learned: Learned[] })[]>`
      with change as (
        select * from json_to_recordset(${JSON.stringify(changes)}::text::json) as change (
          whatsapp_phone_number_id text, opaque_id text, whatsapp_message_id text, status message_status,
          sent_at timestamptz, delivered_at timestamptz, read_at timestamptz, failed_at timestamptz,
          failure_code int, failure_reason text, recipient_id text, recipient_user_id text)
      ), event as (
        select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as event (
          id text, whatsapp_phone_number_id text, opaque_id text, whatsapp_message_id text, digest text, status text,
          failure_code int, failure_reason text, raw text, occurred_at timestamptz, repeats int)
      ), line as (
        select workspace_id, id, whatsapp_phone_number_id, disconnected_at is null as is_connected from phone_numbers
        where whatsapp_phone_number_id in (select whatsapp_phone_number_id from change)
          and mode = coalesce(${mode ?? null}::mode, mode)
      ), matched as (
        select change.*, line.workspace_id, line.id as phone_number_id, message.id as message_id
        from change join line using (whatsapp_phone_number_id)
        cross join lateral (
          select id from messages m
          where m.workspace_id = line.workspace_id and m.id = change.opaque_id and m.phone_number_id = line.id
          union all
          select id from messages m
          where m.workspace_id = line.workspace_id and m.phone_number_id = line.id
            and m.whatsapp_message_id = change.whatsapp_message_id
          limit 1
        ) message
      ), total as (
        select workspace_id, message_id, max(status) as status, min(whatsapp_message_id) as whatsapp_message_id,
          min(sent_at) as sent_at, min(delivered_at) as delivered_at, min(read_at) as read_at, min(failed_at) as failed_at,
          (array_agg(failure_code order by failed_at, failure_reason collate "C", failure_code))[1] as failure_code,
          (array_agg(failure_reason order by failed_at, failure_reason collate "C"))[1] as failure_reason
        from matched group by workspace_id, message_id
      ), standing as (
        -- In one order for everybody, so that two batches about the same messages never wait for each other in a ring.
        -- A refusal that the platform's own events contradict no longer stands: the message did leave.
        select m.workspace_id, m.id, m.contents_removed_at is null as is_whole,
          -- WhatsApp counts whole seconds by a clock of its own; nothing happened to a message before it existed.
          case when total.sent_at is not null then greatest(total.sent_at, m.created_at) end as sent_at,
          case when total.delivered_at is not null then greatest(total.delivered_at, m.created_at) end as delivered_at,
          case when total.read_at is not null then greatest(total.read_at, m.created_at) end as read_at,
          m.contact_id, m.phone_number_id, m.phone, m.created_at,
          case when contradicted and m.mode = 'live'
            then date_trunc('month', coalesce(m.dispatched_at, m.created_at) at time zone 'utc')::date end as unit_month,
          case when m.phase <> 'SENT' and m.type = 'interactive' and total.status <> 'FAILED'
            then (m.request::json #>> '{content,interactive,type}') = 'flow' end as opens_session,
          case when contradicted then null else m.status end as status,
          case when contradicted then null else m.failed_at end as failed_at,
          -- Of two failures the earlier stays; text and code decide between two of the same second.
          coalesce(not contradicted and (total.failed_at is null or
            (m.failed_at, m.failure_reason collate "C", coalesce(m.failure_code, ${NO_CODE})) <=
              (total.failed_at, total.failure_reason collate "C", coalesce(total.failure_code, ${NO_CODE}))), false) as is_first
        from messages m join total on m.workspace_id = total.workspace_id and m.id = total.message_id
        cross join lateral (
          select m.phase in ('REFUSED', 'REFUSED_RETRYABLE') and total.status is not null as contradicted
        ) refusal
        order by m.workspace_id, m.id for no key update of m
      ), learned as (
        -- Under what else WhatsApp knows the contact, where that is news: once in the life of most contacts.
        select distinct on (c.workspace_id, c.id) standing.phone_number_id, c.workspace_id, c.id as contact_id,
          matched.recipient_id as wa_id, matched.recipient_user_id as user_id, standing.created_at as since
        from matched join standing on standing.workspace_id = matched.workspace_id and standing.id = matched.message_id
        join contacts c on c.workspace_id = standing.workspace_id and c.id = standing.contact_id and c.erased_at is null
        where standing.phone <> ${ERASED_PHONE} and (
          (matched.recipient_user_id is not null and c.whatsapp_user_id is distinct from matched.recipient_user_id)
          or (matched.recipient_id is not null and c.phone is distinct from matched.recipient_id and not exists (
            select from contact_aliases a where a.workspace_id = c.workspace_id and a.wa_id = matched.recipient_id
              and a.contact_id = c.id)))
        order by c.workspace_id, c.id, standing.created_at
      ), unit as (
        -- The refusal had given it back, and the message left after all: no limit can undo that.
        insert into usage as u (workspace_id, month, used)
        select workspace_id, unit_month, count(*) from standing where unit_month is not null
        group by workspace_id, unit_month order by workspace_id, unit_month
        on conflict (workspace_id, month) do update set used = u.used + excluded.used,
          message_limit = case when u.message_limit is not null
            then greatest(u.message_limit, u.used + excluded.used) end
      ), opened as (
        -- Where the platform's answer was lost, this is the first proof that a flow message was sent.
        insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id, opened_at)
        select workspace_id, 'fs_' || substr(id, 5), contact_id, phone_number_id, id, coalesce(sent_at, now())
        from standing where opens_session
        on conflict (workspace_id, id) do nothing
      ), moved as (
        update messages m set
          status = greatest(standing.status, total.status),
          phase = case when total.status is null then m.phase else 'SENT' end,
          unit_month = coalesce(m.unit_month, standing.unit_month),
          whatsapp_message_id = coalesce(m.whatsapp_message_id, total.whatsapp_message_id),
          sent_at = least(m.sent_at, standing.sent_at),
          delivered_at = least(m.delivered_at, standing.delivered_at),
          read_at = least(m.read_at, standing.read_at),
          failure_code = case when standing.is_first then m.failure_code else total.failure_code end,
          failure_trace_id = case when standing.is_first then m.failure_trace_id end,
          failure_reason = case when standing.is_first then m.failure_reason
            when total.failure_reason is null or standing.is_whole then total.failure_reason
            else ${REMOVED_REASON} end,
          failed_at = least(standing.failed_at, total.failed_at),
          updated_at = now()
        from total join standing on standing.workspace_id = total.workspace_id and standing.id = total.message_id
        where m.workspace_id = standing.workspace_id and m.id = standing.id
      ), kept as (
        insert into status_events (
          workspace_id, id, phone_number_id, message_id, digest, whatsapp_message_id, status, failure_code, failure_reason,
          raw, occurred_at, repeats)
        select line.workspace_id, event.id, line.id, matched.message_id, decode(event.digest, 'hex'),
          event.whatsapp_message_id, event.status, event.failure_code,
          -- What was removed with a message's contents does not come back with a late event.
          case when coalesce(standing.is_whole, true) then event.failure_reason end,
          case when coalesce(standing.is_whole, true) then event.raw end, event.occurred_at, event.repeats
        from event join line using (whatsapp_phone_number_id)
        left join matched on matched.workspace_id = line.workspace_id and matched.phone_number_id = line.id
          and matched.whatsapp_message_id = event.whatsapp_message_id
        left join standing on standing.workspace_id = matched.workspace_id and standing.id = matched.message_id
        -- A disconnected line hears of its own messages only: another workspace may have the number by now.
        where line.is_connected or matched.message_id is not null
        -- One order here, too: an event that another batch is about to insert is waited for.
        order by line.workspace_id, line.id, event.digest
        -- What waited for its message meets it; what had met it has come again. Of the platform's own object the first
        -- stays, unless the message's contents are gone, which its absence tells.
        on conflict (workspace_id, phone_number_id, digest) do update set
            message_id = coalesce(status_events.message_id, excluded.message_id),
            failure_reason = case when status_events.message_id is null then excluded.failure_reason
              else status_events.failure_reason end,
            raw = case when excluded.raw is not null then status_events.raw end,
            repeats = case when status_events.message_id is null or not ${isNews} then status_events.repeats
              else status_events.repeats + 1 + excluded.repeats end
          where excluded.message_id is not null
        returning workspace_id, phone_number_id, message_id, id
      ), heard as (
        update phone_numbers set last_webhook_at = now()
        where (workspace_id, id) in (
          select p.workspace_id, p.id from phone_numbers p join line using (workspace_id, id)
          where line.is_connected and (p.last_webhook_at is null or p.last_webhook_at < now() - interval '10 seconds')
          for no key update of p skip locked
        )
      )
      select line.*, (
          select coalesce(json_agg(json_build_array(kept.id, kept.message_id is not null, standing.status)), '[]')
          from kept left join standing on standing.workspace_id = kept.workspace_id and standing.id = kept.message_id
          where kept.workspace_id = line.workspace_id and kept.phone_number_id = line.id
        ) as kept, (
          select coalesce(json_agg(learned), '[]') from learned
          where learned.workspace_id = line.workspace_id and learned.phone_number_id = line.id
        ) as learned
      from line`,
    { pool: "webhooks" },
  );
  if (process.env.FAULT_POINTS) reachFaultPoint("webhook-after-commit");
  await learnRecipients(known.flatMap(({ learned }) => learned.map(toLearned)));
  if (isNews) countStatuses(known, { events, rows });
  const ours = new Set(known.map((row) => row.whatsapp_phone_number_id));
  return events.filter((event) => !ours.has(event.whatsappPhoneNumberId));
};

/** Sorts behind every code of the platform's, as a null does. */
const NO_CODE = 2 ** 31 - 1;

// One statement cannot insert a row and meet it again, so what one body says twice is said once.
const withoutDoubles = (events: readonly StatusEvent[]): { event: StatusEvent; repeats: number }[] => {
  const distinct = new Map<string, { event: StatusEvent; repeats: number }>();
  for (const event of events) {
    const key = `${event.whatsappPhoneNumberId}/${Buffer.from(event.digest).toString("hex")}`;
    const known = distinct.get(key);
    if (known) known.repeats += 1;
    else distinct.set(key, { event, repeats: 0 });
  }
  return [...distinct.values()];
};

// Within a line the platform's id names the message; our own id may be missing in some of its events.
const groupByMessage = (events: readonly StatusEvent[]): [StatusEvent, StatusEvent[]][] => {
  const groups = new Map<string, [StatusEvent, StatusEvent[]]>();
  for (const event of events) {
    const key = JSON.stringify([event.whatsappPhoneNumberId, event.whatsappMessageId]);
    const known = groups.get(key);
    known?.[1].push(event);
    groups.set(key, [known && known[0].messageId !== null ? known[0] : event, known?.[1] ?? [event]]);
  }
  return [...groups.values()];
};

const target = ({ whatsappPhoneNumberId, messageId, whatsappMessageId }: StatusEvent) => ({
  whatsapp_phone_number_id: whatsappPhoneNumberId,
  opaque_id: messageId,
  whatsapp_message_id: whatsappMessageId,
});

type Learned = {
  workspace_id: string;
  contact_id: string;
  wa_id: string | null;
  user_id: string | null;
  since: string;
};

const toLearned = ({ workspace_id, contact_id, wa_id, user_id, since }: Learned): LearnedRecipient => ({
  ...{ workspaceId: workspace_id, contactId: contact_id, waId: wa_id, userId: user_id, since: new Date(since) },
});

const recipientColumns = (group: readonly StatusEvent[]) => ({
  recipient_id: group.find(({ recipient }) => recipient.waId !== null)?.recipient.waId ?? null,
  recipient_user_id: group.find(({ recipient }) => recipient.userId !== null)?.recipient.userId ?? null,
});

const changeColumns = ({ status, sentAt, deliveredAt, readAt, failedAt, failure }: StatusChange) => ({
  status,
  sent_at: sentAt,
  delivered_at: deliveredAt,
  read_at: readAt,
  failed_at: failedAt,
  failure_code: failure?.code ?? null,
  failure_reason: failure?.reason ?? null,
});

const eventColumns = ({ digest, status, failure, raw, occurredAt }: StatusEvent) => ({
  digest: Buffer.from(digest).toString("hex"),
  status,
  failure_code: statusOfWord(status) === "FAILED" ? (failure?.code ?? null) : null,
  failure_reason: failure?.reason ?? null,
  raw,
  occurred_at: occurredAt,
});
