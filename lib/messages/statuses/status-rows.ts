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

/** The lines of a batch by their keys, numbered: their ids are sent once, and not with each row. */
export type Lines = ReadonlyMap<string, { line: number; workspace_id: string; id: string; is_silent: boolean }>;

export function lineKey({ workspaceId, phoneNumberId }: StatusMatch): string {
  return `${workspaceId}/${phoneNumberId}`;
}

export function linesOf(matches: readonly StatusMatch[]): Lines {
  const lines = new Map<string, { line: number; workspace_id: string; id: string; is_silent: boolean }>();
  for (const match of matches) {
    if (lines.has(lineKey(match))) continue;
    const { workspaceId, phoneNumberId, isSilent } = match;
    lines.set(lineKey(match), { line: lines.size, workspace_id: workspaceId, id: phoneNumberId, is_silent: isSilent });
  }
  return lines;
}

/** The row of each message, from its matches: our id and several WhatsApp ids may all refer to it. */
export function messageRows(matches: readonly Matched[], lines: Lines) {
  const ofMessage = new Map<string, [Matched, ...Matched[]]>();
  for (const match of matches) {
    const known = ofMessage.get(messageKey(match));
    if (known) known.push(match);
    else ofMessage.set(messageKey(match), [match]);
  }
  return [...ofMessage.values()].map((group) => messageRow(group, lines));
}

/** What is undefined is not sent: it stays as it is, and of a failure and a price's parts it is null. Most rows say little. */
function messageRow(group: [Matched, ...Matched[]], lines: Lines) {
  const [match] = group;
  const { message, received, optOut } = match;
  const events = group.flatMap(({ received }) => received.events.map(({ event }) => explained(event, message, optOut)));
  const whatsappMessageId =
    group.map(({ received }) => received.whatsappMessageId).sort()[0] ?? received.whatsappMessageId;
  const { to, unitMonth, keyUnitMonth, mayOpenSession } =
    transitionOf(message, foldStatusEvents(events), whatsappMessageId) ?? NO_MOVE;
  const row = { line: lines.get(lineKey(match))?.line, id: message.id, version: message.version };
  if (!to) return row;
  const lacksCountry = message.recipientCountry === null && (to.pricedAt ?? message.pricedAt) !== null;
  // One literal: a spread would take longer than all else here.
  return {
    line: row.line,
    id: row.id,
    version: row.version,
    moves: true,
    phase: newOf(to.phase, message.phase),
    status: newOf(to.status, message.status),
    sent_at: newOf(to.sentAt, message.sentAt),
    delivered_at: newOf(to.deliveredAt, message.deliveredAt),
    read_at: newOf(to.readAt, message.readAt),
    failed_at: to.failedAt ?? undefined,
    failure_code: to.failureCode ?? undefined,
    failure_reason: to.failureReason ?? undefined,
    failure_trace_id: to.failureTraceId ?? undefined,
    whatsapp_message_id: newOf(to.whatsappMessageId, message.whatsappMessageId),
    unit_month: unitMonth ?? undefined,
    key_unit_month: keyUnitMonth ?? undefined,
    may_open_session: mayOpenSession || undefined,
    pricing_billable: to.pricingBillable ?? undefined,
    pricing_type: to.pricingType ?? undefined,
    pricing_category: to.pricingCategory ?? undefined,
    pricing_model: to.pricingModel ?? undefined,
    priced_at: to.pricedAt ?? undefined,
    recipient_country: lacksCountry ? (countryOfRecipient(group) ?? undefined) : undefined,
  };
}

const NO_MOVE = { to: undefined, unitMonth: null, keyUnitMonth: null, mayOpenSession: false };

function newOf<T extends string | Date>(to: T | null, from: T | null): T | undefined {
  return to === null || to.valueOf() === from?.valueOf() ? undefined : to;
}

/** The number may have been erased; WhatsApp names it once more. */
const countryOfRecipient = (group: readonly Matched[]): string | null =>
  group.reduce<string | null>(
    (known, { message, received: { events } }) =>
      known ?? countryOf(message.phone) ?? countryOf(Object.values(recipientOf(events)).find(Boolean) ?? ""),
    null,
  );

/** The rows of a match's events. A disconnected line gets the statuses of its own messages only: another workspace may have the number by now. */
export function eventRows(match: StatusMatch, lines: Lines) {
  const { isConnected, message, received } = match;
  if (!isConnected && !message) return [];
  // A late event must not restore contents that were removed.
  const isWhole = !message?.contentsRemovedAt;
  const line = lines.get(lineKey(match))?.line;
  return received.events.map(({ event, digest, repeats }) => ({
    match,
    event,
    row: {
      line,
      message_id: message?.id,
      id: newId("evt"),
      digest,
      whatsapp_message_id: received.whatsappMessageId,
      status: event.status,
      failure_code: statusOfWord(event.status) === "FAILED" ? (event.failure?.code ?? undefined) : undefined,
      failure_reason: isWhole ? (event.failure?.reason ?? undefined) : undefined,
      raw: isWhole ? (event.raw ?? undefined) : undefined,
      occurred_at: event.occurredAt,
      repeats: repeats || undefined,
    },
  }));
}
