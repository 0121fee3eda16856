import type { PendingQuery, Row, TransactionSql } from "postgres";
import { onDatabase } from "@/db/client";
import { env } from "@/lib/env";
import { newId } from "@/lib/ids";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";
import { provenWorkspaceId } from "@/lib/workspaces/workspace-id";
import { phoneDigest } from "./phone-digest";

/**
 * Takes what contacts wrote: the contact exists from now on, its 24 hours are open, a completed flow closes its session
 * and a changed number moves with its contact. Repeating it changes nothing, also where the number was erased since.
 * Answers with the messages to lines that are not ours.
 */
export const recordInbound = async (messages: InboundMessage[]): Promise<InboundMessage[]> => {
  if (messages.length === 0) return [];
  const known = await onDatabase(({ $client: sql }) => sql.begin((transaction) => record(transaction, messages)), {
    pool: "webhooks",
  });
  return messages.filter(({ whatsappPhoneNumberId }) => !known.has(whatsappPhoneNumberId));
};

const record = async (sql: TransactionSql, messages: readonly InboundMessage[]): Promise<Set<string>> => {
  const rows = JSON.stringify(messages.map(toRow));
  const inbound = sql`
    with message as (
      select * from json_to_recordset(${rows}::text::json) as message (
        contact_id text, whatsapp_phone_number_id text, phone text, whatsapp_user_id text, name text,
        occurred_at timestamptz, is_flow_reply boolean, replies_to text, previous_phone text)
    ), inbound as (
      -- Whoever disconnected a line hears no more of it: another workspace may have the number by now.
      select message.*, line.workspace_id, line.id as phone_number_id
      from message join phone_numbers line using (whatsapp_phone_number_id) where line.disconnected_at is null
    )`;
  // One batch at a time and workspace: contacts are met by number and by user id, so no order of rows would do.
  const lines = await sql<{ id: string; workspace_id: string }[]>`${inbound}, heard as (
      update phone_numbers set last_webhook_at = now()
      where (workspace_id, id) in (
        select p.workspace_id, p.id from phone_numbers p
        join (select distinct workspace_id, phone_number_id as id from inbound) line using (workspace_id, id)
        where p.last_webhook_at is null or p.last_webhook_at < now() - interval '10 seconds'
        for no key update of p skip locked
      )
    ), locked as materialized (
      select pg_advisory_xact_lock(hashtextextended('inbound ' || workspace_id, 0))
      from (select distinct workspace_id from inbound order by workspace_id) workspace
    )
    select distinct whatsapp_phone_number_id as id, workspace_id, (select count(*) from locked) as locks
    from phone_numbers where whatsapp_phone_number_id in (select whatsapp_phone_number_id from message)`;
  if (lines.length === 0) return new Set();

  if (messages.some(({ previousPhone }) => previousPhone !== undefined)) {
    await sql`${inbound}
      update contacts set phone = inbound.phone from inbound
      where contacts.workspace_id = inbound.workspace_id and contacts.phone = inbound.previous_phone
        and not exists (
          select from contacts taken where taken.workspace_id = inbound.workspace_id and taken.phone = inbound.phone
        )`;
  }
  const erasures = JSON.stringify(possibleErasures(messages, lines));
  await sql`${inbound}, erasure as (
      select given.workspace_id, given.phone, entry.at
      from json_to_recordset(${erasures}::text::json) as given (
        workspace_id text, phone text, digest text, occurred_at timestamptz)
      join audit_log entry on entry.workspace_id = given.workspace_id and entry.at >= given.occurred_at
        and entry.action = 'contact.erased' and entry.target_id = given.digest
    )
    insert into contacts (workspace_id, id, phone, name, whatsapp_user_id, last_inbound_at)
    select distinct on (workspace_id, phone) workspace_id, contact_id, phone, name, whatsapp_user_id, occurred_at
    from inbound where phone is not null and previous_phone is null and not exists (
      select from erasure
      where erasure.workspace_id = inbound.workspace_id and erasure.phone = inbound.phone
        and erasure.at >= inbound.occurred_at
    )
    order by workspace_id, phone, occurred_at desc
    on conflict (workspace_id, phone) do update set
      last_inbound_at = greatest(contacts.last_inbound_at, excluded.last_inbound_at),
      name = coalesce(contacts.name, excluded.name),
      whatsapp_user_id = coalesce(excluded.whatsapp_user_id, contacts.whatsapp_user_id)`;
  if (messages.some(({ from }) => from === null)) {
    await sql`${inbound}
      update contacts set last_inbound_at = greatest(last_inbound_at, latest.occurred_at)
      from (
        select workspace_id, whatsapp_user_id, max(occurred_at) as occurred_at
        from inbound where phone is null group by workspace_id, whatsapp_user_id
      ) latest
      where contacts.workspace_id = latest.workspace_id and contacts.whatsapp_user_id = latest.whatsapp_user_id`;
  }
  if (messages.some(({ isFlowReply }) => isFlowReply)) await closeFlowSessions(sql, inbound);
  return new Set(lines.map(({ id }) => id));
};

/** Under what each number would stand in the audit log had it been erased: that keeps no number. */
const possibleErasures = (
  messages: readonly InboundMessage[],
  lines: readonly { id: string; workspace_id: string }[],
) => {
  const peppers = [env().KEY_PEPPER, env().KEY_PEPPER_PREVIOUS].filter((pepper) => pepper !== undefined);
  return lines.flatMap(({ id, workspace_id }) =>
    messages
      .filter(({ whatsappPhoneNumberId }) => whatsappPhoneNumberId === id)
      .flatMap(({ from: phone, occurredAt: occurred_at }) =>
        peppers.map((pepper) => ({
          ...{ workspace_id, phone, occurred_at },
          digest: phone === null ? null : phoneDigest(provenWorkspaceId(workspace_id), phone, pepper),
        })),
      ),
  );
};

// A reply names the flow message that it completes, so a late repetition of it never closes a session opened since.
const closeFlowSessions = (sql: TransactionSql, inbound: PendingQuery<Row[]>) =>
  sql`${inbound}, reply as (
      select inbound.workspace_id, inbound.phone_number_id, contact.id as contact_id, (
        select id from messages m
        where m.workspace_id = inbound.workspace_id and m.phone_number_id = inbound.phone_number_id
          and m.whatsapp_message_id = inbound.replies_to
        limit 1
      ) as message_id
      from inbound cross join lateral (
        select id from contacts c where c.workspace_id = inbound.workspace_id and c.phone = inbound.phone
        union
        select id from contacts c
        where c.workspace_id = inbound.workspace_id and c.whatsapp_user_id = inbound.whatsapp_user_id
      ) contact
      where inbound.is_flow_reply
    )
    update flow_sessions s set closed_at = now(), closed_by = 'reply' from reply
    where s.workspace_id = reply.workspace_id and s.contact_id = reply.contact_id
      and s.phone_number_id = reply.phone_number_id and s.closed_at is null
      and s.message_id = coalesce(reply.message_id, s.message_id)`;

const toRow = (message: InboundMessage) => ({
  contact_id: newId("ct"),
  whatsapp_phone_number_id: message.whatsappPhoneNumberId,
  phone: message.from,
  whatsapp_user_id: message.whatsappUserId,
  name: message.name,
  occurred_at: message.occurredAt,
  is_flow_reply: message.isFlowReply,
  replies_to: message.repliesTo,
  previous_phone: message.previousPhone ?? null,
});
