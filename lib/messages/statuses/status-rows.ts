import { countryOf } from "@/lib/core/country";
import { newId } from "@/lib/core/new-id";
import { explained } from "./barred-marketing";
import { type ReadMessage, recipientOf, type StatusMatch } from "./match-statuses";
import { foldStatusEvents, statusOfWord, transitionOf } from "./status";

/** A match that has a message. */
export type Matched = StatusMatch<ReadMessage>;

export function isOfMessage(match: StatusMatch): match is Matched {
  return match.message !== null;
}

export function messageKey({ workspaceId, message }: Matched): string {
  return `${workspaceId}/${message.id}`;
}

/** The row of each message, from its matches: our id and several WhatsApp ids may all refer to it. */
export function messageRows(matches: readonly Matched[]) {
  const ofMessage = new Map<string, [Matched, ...Matched[]]>();
  for (const match of matches) {
    const known = ofMessage.get(messageKey(match));
    if (known) known.push(match);
    else ofMessage.set(messageKey(match), [match]);
  }
  return [...ofMessage].map(([key, group]) => messageRow(key, group));
}

function messageRow(key: string, group: [Matched, ...Matched[]]) {
  const [{ workspaceId, message, received, optOut }] = group;
  const events = group.flatMap((match) => match.received.events.map(({ event }) => explained(event, message, optOut)));
  const whatsappMessageId =
    group.map((match) => match.received.whatsappMessageId).sort()[0] ?? received.whatsappMessageId;
  const move = transitionOf(message, foldStatusEvents(events), whatsappMessageId);
  const { to, unitMonth, keyUnitMonth, mayOpenSession } = move ?? {};
  const lacksCountry = message.recipientCountry === null && (to?.pricedAt ?? message.pricedAt) !== null;
  // One literal: a spread would take longer than all else here. What is undefined is not sent.
  return {
    key,
    workspace_id: workspaceId,
    message_id: message.id,
    version: message.version,
    moves: to !== undefined,
    phase: to?.phase,
    status: to?.status,
    sent_at: to?.sentAt,
    delivered_at: to?.deliveredAt,
    read_at: to?.readAt,
    failed_at: to?.failedAt,
    failure_code: to?.failureCode,
    failure_reason: to?.failureReason,
    failure_trace_id: to?.failureTraceId,
    whatsapp_message_id: to?.whatsappMessageId,
    unit_month: unitMonth,
    key_unit_month: keyUnitMonth,
    may_open_session: mayOpenSession,
    pricing_billable: to?.pricingBillable,
    pricing_type: to?.pricingType,
    pricing_category: to?.pricingCategory,
    pricing_model: to?.pricingModel,
    priced_at: to?.pricedAt,
    recipient_country: to && lacksCountry ? countryOfRecipient(group) : undefined,
  };
}

/** The number may have been erased; WhatsApp names it once more. */
const countryOfRecipient = (group: readonly Matched[]): string | null =>
  group.reduce<string | null>(
    (known, { message, received: { events } }) =>
      known ?? countryOf(message.phone) ?? countryOf(Object.values(recipientOf(events)).find(Boolean) ?? ""),
    null,
  );

/** The rows of a match's events. A disconnected line gets the statuses of its own messages only: another workspace may have the number by now. */
export function eventRows(match: StatusMatch) {
  const { workspaceId, phoneNumberId, isConnected, message, received } = match;
  if (!isConnected && !message) return [];
  // A late event must not restore contents that were removed.
  const isWhole = !message?.contentsRemovedAt;
  return received.events.map(({ event, digest, repeats }) => ({
    match,
    event,
    row: {
      workspace_id: workspaceId,
      phone_number_id: phoneNumberId,
      message_id: message?.id ?? null,
      id: newId("evt"),
      digest,
      whatsapp_message_id: received.whatsappMessageId,
      status: event.status,
      failure_code: statusOfWord(event.status) === "FAILED" ? (event.failure?.code ?? null) : null,
      failure_reason: isWhole ? (event.failure?.reason ?? null) : null,
      raw: isWhole ? event.raw : null,
      occurred_at: event.occurredAt,
      repeats,
    },
  }));
}
