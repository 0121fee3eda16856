import { toSnakeCase } from "drizzle-orm/casing";
import { onSql, readInstant } from "@/db/raw-sql";
import type { Message } from "@/db/schema";
import { ERASED_PHONE } from "@/lib/core/phone";
import type { Mode } from "@/lib/core/principal";
import { valuesReader } from "@/lib/messages/columns";
import type { StatusEvent } from "@/lib/whatsapp/status-webhooks";
import { type OptOut, optOutIn, STOPPED } from "./barred-marketing";

/** A WhatsApp message and its events in a batch, without duplicates. */
export type MessageEvents = { whatsappPhoneNumberId: string; whatsappMessageId: string; events: RepeatedEvent[] };
export type RepeatedEvent = { event: StatusEvent; digest: string; repeats: number };

/** A message as it was read, with the row version for optimistic locking. */
export type ReadMessage = Pick<Message, (typeof COLUMNS)[number]> & { version: string };

/** A line that `received` names, and the line's message, where there is one. */
export type StatusMatch<M extends ReadMessage | null = ReadMessage | null> = {
  received: MessageEvents;
  workspaceId: string;
  phoneNumberId: string;
  /** Of the line, at WhatsApp. */
  account: string;
  isConnected: boolean;
  /** Whether the line's stored time of its latest webhook is out of date. */
  isSilent: boolean;
  message: M;
  /** Whether WhatsApp uses an id for the recipient that is new to us: once for most contacts. */
  isNewRecipient: boolean;
  /** When and how the recipient stopped marketing messages, if they did; read only where an event says so. */
  optOut: OptOut | null;
};

const COLUMNS = [
  "id",
  "contactId",
  "phone",
  "mode",
  "type",
  "phase",
  "status",
  "createdAt",
  "dispatchedAt",
  "sentAt",
  "deliveredAt",
  "readAt",
  "failedAt",
  "failureCode",
  "failureReason",
  "failureTraceId",
  "contentsRemovedAt",
  "whatsappMessageId",
  "pricingBillable",
  "pricingType",
  "pricingCategory",
  "pricingModel",
  "pricedAt",
  "recipientCountry",
] as const satisfies (keyof Message)[];

const readMessage = valuesReader(COLUMNS);

/** The values of a row before those of its message. */
type MatchRow = [
  place: number,
  workspaceId: string,
  phoneNumberId: string,
  account: string,
  isConnected: boolean,
  isSilent: boolean,
  isNewRecipient: boolean,
  optedOutAt: string | null,
  optOutSource: OptOut["source"] | null,
  version: string | null,
  ...message: unknown[],
];
const MESSAGE_FROM = 10;

/**
 * Finds the messages of a batch without locks: by our id on that line, else by WhatsApp's. `mode` limits
 * the lines searched. A number can belong to one connected line and to former lines of other workspaces.
 */
export async function matchStatuses(batch: readonly MessageEvents[], mode: Mode | undefined): Promise<StatusMatch[]> {
  const targets = batch.map(({ whatsappPhoneNumberId, whatsappMessageId, events }, place) => ({
    place,
    number: whatsappPhoneNumberId,
    whatsapp_message_id: whatsappMessageId,
    opaque_id: firstOf(events, ({ messageId }) => messageId),
    wa_id: recipientOf(events).waId,
    user_id: recipientOf(events).userId,
    is_stopped: events.some(({ event }) => event.failure?.code === STOPPED),
  }));
  const rows = await onSql(
    (sql) => {
      const stopped = optOutIn(sql, "person", sql`message.mode`);
      return sql`
        with target as (
          select * from json_to_recordset(${JSON.stringify(targets)}::text::json) as target (
            place int, number text, whatsapp_message_id text, opaque_id text, wa_id text, user_id text, is_stopped boolean)
        ), line as (
          select workspace_id, id, whatsapp_phone_number_id as number, whatsapp_business_account_id as account,
            disconnected_at is null as is_connected,
            disconnected_at is null and coalesce(last_webhook_at < now() - interval '10 seconds', true) as is_silent
          from phone_numbers
          where whatsapp_phone_number_id in (select distinct number from target)
            ${mode === undefined ? sql`` : sql`and mode = ${mode}`}
        )
        select target.place, line.workspace_id, line.id, line.account, line.is_connected, line.is_silent,
          coalesce(recipient.is_new, false), recipient.opted_out_at, recipient.opt_out_source, message.*
        from target join line using (number)
        left join lateral (
          -- If the two ids name different messages, ours wins: the row has it before WhatsApp assigns one.
          select m.xmin::text as version, ${sql(COLUMNS.map(toSnakeCase))} from messages m
          where m.workspace_id = line.workspace_id and m.id = coalesce(
            (select m.id from messages m
              where m.workspace_id = line.workspace_id and m.id = target.opaque_id and m.phone_number_id = line.id limit 1),
            (select m.id from messages m
              where m.workspace_id = line.workspace_id and m.phone_number_id = line.id
                and m.whatsapp_message_id = target.whatsapp_message_id limit 1))
          limit 1
        ) message on true
        left join lateral (
          select exists (
            select from (values (target.user_id, line.account), (nullif(target.wa_id, message.phone), '')) as shown (name, account)
            where shown.name is not null and not exists (
              select from contact_names n
              where n.workspace_id = c.workspace_id and n.name = shown.name
                and n.contact_id = coalesce(c.merged_into, c.id) and n.account = shown.account)) as is_new,
            ${stopped.at} as opted_out_at, ${stopped.source} as opt_out_source
          from contacts c
          -- Null for any other status, so that no row is looked up.
          left join contacts person on person.workspace_id = c.workspace_id and person.erased_at is null
            and person.id = case when target.is_stopped then coalesce(c.merged_into, c.id) end
          where c.workspace_id = line.workspace_id and c.id = message.contact_id and c.erased_at is null
            and message.phone <> ${ERASED_PHONE}
        ) recipient on true`.values();
    },
    { pool: "webhooks" },
  );
  return (rows as unknown as MatchRow[]).flatMap((row) => {
    const received = batch[row[0]];
    return received ? [matchOf(row, received)] : [];
  });
}

function matchOf(row: MatchRow, received: MessageEvents): StatusMatch {
  const [, workspaceId, phoneNumberId, account, isConnected, isSilent, isNewRecipient, at, source, version] = row;
  const optOut = at === null ? null : { at: readInstant(at), source: source ?? "whatsapp" };
  const message = version === null ? null : { ...readMessage(row, MESSAGE_FROM), version };
  return { received, workspaceId, phoneNumberId, account, isConnected, isSilent, isNewRecipient, optOut, message };
}

/** Returns WhatsApp's number and user id of the recipient. */
export function recipientOf(events: readonly RepeatedEvent[]): StatusEvent["recipient"] {
  return {
    waId: firstOf(events, ({ recipient }) => recipient.waId),
    userId: firstOf(events, ({ recipient }) => recipient.userId),
  };
}

/** The first that any of the events names; some of WhatsApp's leave out what others have. */
function firstOf<T>(events: readonly RepeatedEvent[], read: (event: StatusEvent) => T | null): T | null {
  for (const { event } of events) {
    const value = read(event);
    if (value !== null) return value;
  }
  return null;
}
