import { onDatabase } from "@/db/client";
import { newId } from "@/lib/ids";
import type { InboundMessage } from "@/lib/whatsapp/webhook-events";

/**
 * Takes what contacts wrote: the contact exists from now on, its 24 hours are open, a completed flow closes its session,
 * and a changed number moves with its contact. Answers with the messages to lines that are not ours.
 */
export const recordInbound = async (messages: InboundMessage[]): Promise<InboundMessage[]> => {
  if (messages.length === 0) return [];
  const rows = messages.map((message) => ({
    contact_id: newId("ct"),
    whatsapp_phone_number_id: message.whatsappPhoneNumberId,
    phone: message.from,
    whatsapp_user_id: message.whatsappUserId,
    name: message.name,
    occurred_at: message.occurredAt,
    is_flow_reply: message.isFlowReply,
    previous_phone: message.previousPhone ?? null,
  }));
  const known = await onDatabase(
    ({ $client: sql }) =>
      sql.begin(async (transaction) => {
        const inbound = transaction`
          with inbound as (
            select message.*, line.workspace_id, line.id as phone_number_id
            from json_to_recordset(${JSON.stringify(rows)}::text::json) as message (
              contact_id text, whatsapp_phone_number_id text, phone text, whatsapp_user_id text, name text,
              occurred_at timestamptz, is_flow_reply boolean, previous_phone text)
            join phone_numbers line using (whatsapp_phone_number_id)
          )`;
        await transaction`${inbound}
          update contacts set phone = inbound.phone from inbound
          where contacts.workspace_id = inbound.workspace_id and contacts.phone = inbound.previous_phone
            and not exists (
              select from contacts taken where taken.workspace_id = inbound.workspace_id and taken.phone = inbound.phone
            )`;
        await transaction`${inbound}
          insert into contacts (workspace_id, id, phone, name, whatsapp_user_id, last_inbound_at)
          select distinct on (workspace_id, phone) workspace_id, contact_id, phone, name, whatsapp_user_id, occurred_at
          from inbound where phone is not null and previous_phone is null
          order by workspace_id, phone, occurred_at desc
          on conflict (workspace_id, phone) do update set
            last_inbound_at = greatest(contacts.last_inbound_at, excluded.last_inbound_at),
            name = coalesce(contacts.name, excluded.name),
            whatsapp_user_id = coalesce(excluded.whatsapp_user_id, contacts.whatsapp_user_id)`;
        await transaction`${inbound}
          update contacts set last_inbound_at = greatest(last_inbound_at, inbound.occurred_at) from inbound
          where inbound.phone is null and contacts.workspace_id = inbound.workspace_id
            and contacts.whatsapp_user_id = inbound.whatsapp_user_id`;
        await transaction`${inbound}
          update flow_sessions set closed_at = now(), closed_by = 'reply' from inbound, contacts
          where inbound.is_flow_reply and contacts.workspace_id = inbound.workspace_id
            and (contacts.phone = inbound.phone or contacts.whatsapp_user_id = inbound.whatsapp_user_id)
            and flow_sessions.workspace_id = inbound.workspace_id and flow_sessions.contact_id = contacts.id
            and flow_sessions.phone_number_id = inbound.phone_number_id and flow_sessions.closed_at is null`;
        return transaction<{ id: string }[]>`${inbound} select distinct whatsapp_phone_number_id as id from inbound`;
      }),
    { pool: "webhooks" },
  );
  const ours = new Set(known.map(({ id }) => id));
  return messages.filter(({ whatsappPhoneNumberId }) => !ours.has(whatsappPhoneNumberId));
};
