import { and, eq, isNull } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { inBatches, onSql } from "@/db/raw-sql";
import { MARKS, messages, mode, phoneNumbers, type StatusEventRow, statusEvents } from "@/db/schema";
import { isRecord } from "@/lib/core/json";
import { keyUnitsOf } from "@/lib/limits/take-unit";
import { recordStatuses } from "@/lib/messages/statuses/record-statuses";
import { readPricing, readRecipient, type StatusEvent } from "@/lib/whatsapp/status-webhooks";
import { closeAnsweredSessions } from "./settle-message";

const BATCH = 100;
const PASS = { size: BATCH, most: 100 };

/** What one pass of the sweeper did, in rows. */
export type SweptMessages = { notDispatched: number; unknown: number; joined: number; answered: number };

/**
 * Settles rows whose owner died: claimed but not dispatched means not sent, dispatched means UNKNOWN.
 * Matches events that arrived before their message was known. Never calls WhatsApp; safe to run concurrently.
 */
export async function sweepMessages(): Promise<SweptMessages> {
  const swept = {
    notDispatched: await inBatches(PASS, releaseAbandoned),
    unknown: await inBatches(PASS, markUnknown),
    joined: await inBatches(PASS, joinUnmatched),
    answered: await closeAnsweredSessions(),
  };
  await onSql(
    (sql) => sql`
      insert into roll_up_marks (id, until) values (${MARKS.swept}, now())
      on conflict (id) do update set until = greatest(roll_up_marks.until, excluded.until)`,
  );
  return swept;
}

const releaseAbandoned = () =>
  onSql(
    (sql) => sql`
      with abandoned as (
        select workspace_id, id, unit_month, api_key_id, key_unit_month from messages
        where phase = 'ACCEPTED' and lease_expires_at < now()
        order by workspace_id, id limit ${BATCH} for update skip locked
      ), given_back as (
        select workspace_id, unit_month as month, count(*)::int as units from abandoned
        where unit_month is not null group by workspace_id, unit_month
      ), locked as (
        -- Locked in one order, so that two sweepers cannot deadlock.
        select workspace_id, month, units from usage join given_back using (workspace_id, month)
        where message_limit is not null
        order by workspace_id, month for no key update of usage
      ), refund as (
        update usage set used = used - locked.units from locked
        where usage.workspace_id = locked.workspace_id and usage.month = locked.month
        returning usage.used
      ), of_keys as (
        ${keyUnitsOf(sql, { of: "abandoned", after: "refund" })}
      ), key_refund as (
        update key_usage u set used = u.used - of_keys.units from of_keys
        where u.workspace_id = of_keys.workspace_id and u.api_key_id = of_keys.api_key_id and u.month = of_keys.month
      )
      update messages m set
        phase = 'REFUSED_RETRYABLE', status = 'FAILED', fencing_token = fencing_token + 1, unit_month = null, key_unit_month = null,
        failure_reason = 'Not dispatched: the server stopped before WhatsApp was called. Nothing was sent; the same Idempotency-Key may be tried again.',
        failed_at = now(), updated_at = now()
      from abandoned where m.workspace_id = abandoned.workspace_id and m.id = abandoned.id
      returning m.id`,
    { pool: "webhooks" },
  );

const markUnknown = () =>
  onSql(
    (sql) => sql`
      with silent as (
        select workspace_id, id from messages
        where phase = 'DISPATCHING' and lease_expires_at < now()
        order by workspace_id, id limit ${BATCH} for update skip locked
      )
      update messages m set phase = 'UNKNOWN', status = greatest(m.status, 'UNKNOWN'), updated_at = now()
      from silent where m.workspace_id = silent.workspace_id and m.id = silent.id
      returning m.id`,
    { pool: "webhooks" },
  );

/**
 * Matches events that arrived before the send's response and lack our id: WhatsApp's id may be stored by now. Each is looked up
 * alone: joined, a planner without statistics compares all pairs.
 */
async function joinUnmatched(): Promise<{ count: number }> {
  const rows = await onDatabase(
    (db) => {
      const sent = db
        .select({ id: messages.id })
        .from(messages)
        .where(
          and(
            eq(messages.workspaceId, statusEvents.workspaceId),
            eq(messages.phoneNumberId, statusEvents.phoneNumberId),
            eq(messages.whatsappMessageId, statusEvents.whatsappMessageId),
          ),
        )
        .limit(1)
        .as("sent");
      return db
        .select({
          event: statusEvents,
          mode: phoneNumbers.mode,
          whatsappPhoneNumberId: phoneNumbers.whatsappPhoneNumberId,
        })
        .from(statusEvents)
        .crossJoinLateral(sent)
        .innerJoin(
          phoneNumbers,
          and(eq(phoneNumbers.workspaceId, statusEvents.workspaceId), eq(phoneNumbers.id, statusEvents.phoneNumberId)),
        )
        .where(isNull(statusEvents.messageId))
        .limit(BATCH);
    },
    { pool: "webhooks" },
  );
  // By mode, because an event of the sandbox's own may never reach a live line that has the same platform id.
  for (const only of mode.enumValues) {
    await recordStatuses(rows.filter((row) => row.mode === only).map(toStatusEvent), {
      mode: only,
      countsRepeats: false,
    });
  }
  return { count: rows.length };
}

const toStatusEvent = ({
  event,
  whatsappPhoneNumberId,
}: {
  event: StatusEventRow;
  whatsappPhoneNumberId: string;
}): StatusEvent => ({
  whatsappPhoneNumberId,
  whatsappMessageId: event.whatsappMessageId,
  messageId: null,
  status: event.status,
  occurredAt: event.occurredAt,
  failure: event.failureReason === null ? null : { code: event.failureCode, reason: event.failureReason },
  ...readRaw(event.raw),
  raw: event.raw,
  digest: event.digest,
});

function readRaw(raw: string | null): Pick<StatusEvent, "recipient" | "pricing"> {
  const status: unknown = raw === null ? null : JSON.parse(raw);
  return isRecord(status)
    ? { recipient: readRecipient(status), pricing: readPricing(status.pricing) }
    : { recipient: { waId: null, userId: null }, pricing: null };
}
