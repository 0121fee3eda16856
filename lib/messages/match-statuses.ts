import { onSql, readInstant } from "@/db/raw-sql";
import type { Mode } from "@/db/schema";
import { ERASED_PHONE } from "@/lib/core/phone";
import type { StatusEvent } from "@/lib/whatsapp/status-webhooks";
import type { Moved } from "./status";

/** A WhatsApp message and its events in a batch, without duplicates. */
export type MessageEvents = { whatsappPhoneNumberId: string; whatsappMessageId: string; events: RepeatedEvent[] };
export type RepeatedEvent = { event: StatusEvent; digest: string; repeats: number };

/** A message as it was read, with the row version for optimistic locking. */
export type ReadMessage = Moved & { id: string; version: string; contactId: string; phone: string };

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
};

type MatchRow = {
  place: number;
  workspace_id: string;
  line_id: string;
  account: string;
  is_connected: boolean;
  is_silent: boolean;
  is_new_recipient: boolean;
  id: string | null;
} & MessageColumns;

type MessageColumns = Pick<ReadMessage, "version" | "phone" | "mode" | "type" | "phase" | "status"> & {
  contact_id: string;
  failure_code: number | null;
  failure_reason: string | null;
  failure_trace_id: string | null;
  whatsapp_message_id: string | null;
} & Record<"created_at" | InstantColumn, string>;

type InstantColumn = "dispatched_at" | "sent_at" | "delivered_at" | "read_at" | "failed_at" | "contents_removed_at";

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
  }));
  const rows = await onSql(
    (sql) => {
      const columns = sql`
        m.id, m.xmin::text as version, m.contact_id, m.phone, m.mode, m.type, m.phase, m.status, m.created_at,
        m.dispatched_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.failure_code, m.failure_reason,
        m.failure_trace_id, m.contents_removed_at, m.whatsapp_message_id`;
      return sql<MatchRow[]>`
        with target as (
          select * from json_to_recordset(${JSON.stringify(targets)}::text::json) as target (
            place int, number text, whatsapp_message_id text, opaque_id text, wa_id text, user_id text)
        ), line as (
          select workspace_id, id, whatsapp_phone_number_id as number, whatsapp_business_account_id as account,
            disconnected_at is null as is_connected,
            disconnected_at is null and coalesce(last_webhook_at < now() - interval '10 seconds', true) as is_silent
          from phone_numbers
          where whatsapp_phone_number_id in (select number from target) and mode = coalesce(${mode ?? null}::mode, mode)
        )
        select target.place, line.workspace_id, line.id as line_id, line.account, line.is_connected, line.is_silent,
          coalesce(recipient.is_new, false) as is_new_recipient, message.*
        from target join line using (number)
        left join lateral (
          -- If the two ids name different messages, ours wins: the row has it before WhatsApp assigns one.
          select 1 as choice, ${columns} from messages m
          where m.workspace_id = line.workspace_id and m.id = target.opaque_id and m.phone_number_id = line.id
          union all
          select 2 as choice, ${columns} from messages m
          where m.workspace_id = line.workspace_id and m.phone_number_id = line.id
            and m.whatsapp_message_id = target.whatsapp_message_id
          order by choice
          limit 1
        ) message on true
        left join lateral (
          select exists (
            select from (values (target.user_id, line.account), (nullif(target.wa_id, message.phone), '')) as shown (name, account)
            where shown.name is not null and not exists (
              select from contact_names n
              where n.workspace_id = c.workspace_id and n.name = shown.name
                and n.contact_id = coalesce(c.merged_into, c.id) and n.account = shown.account)) as is_new
          from contacts c
          where c.workspace_id = line.workspace_id and c.id = message.contact_id and c.erased_at is null
            and message.phone <> ${ERASED_PHONE}
        ) recipient on true`;
    },
    { pool: "webhooks" },
  );
  return rows.flatMap((row) => {
    const received = batch[row.place];
    return received ? [toMatch(received, row)] : [];
  });
}

/** Returns WhatsApp's number and user id of the recipient. */
export function recipientOf(events: readonly RepeatedEvent[]): StatusEvent["recipient"] {
  return {
    waId: firstOf(events, ({ recipient }) => recipient.waId),
    userId: firstOf(events, ({ recipient }) => recipient.userId),
  };
}

/** The first that any of the events names; some of WhatsApp's leave out what others have. */
const firstOf = <T>(events: readonly RepeatedEvent[], read: (event: StatusEvent) => T | null): T | null => {
  for (const { event } of events) {
    const value = read(event);
    if (value !== null) return value;
  }
  return null;
};

const toMatch = (received: MessageEvents, row: MatchRow): StatusMatch => ({
  received,
  workspaceId: row.workspace_id,
  phoneNumberId: row.line_id,
  account: row.account,
  isConnected: row.is_connected,
  isSilent: row.is_silent,
  message: row.id === null ? null : toMessage(row.id, row),
  isNewRecipient: row.is_new_recipient,
});

const toMessage = (id: string, row: MessageColumns): ReadMessage => ({
  id,
  version: row.version,
  contactId: row.contact_id,
  phone: row.phone,
  mode: row.mode,
  type: row.type,
  phase: row.phase,
  status: row.status,
  createdAt: readInstant(row.created_at),
  dispatchedAt: instant(row.dispatched_at),
  sentAt: instant(row.sent_at),
  deliveredAt: instant(row.delivered_at),
  readAt: instant(row.read_at),
  failedAt: instant(row.failed_at),
  failureCode: row.failure_code,
  failureReason: row.failure_reason,
  failureTraceId: row.failure_trace_id,
  contentsRemovedAt: instant(row.contents_removed_at),
  whatsappMessageId: row.whatsapp_message_id,
});

const instant = (text: string | null): Date | null => (text === null ? null : readInstant(text));
