import type { Message } from "@/db/schema";
import { type MessageStatus, messageStatus } from "@/db/schema/messages";
import { REMOVED_REASON } from "@/lib/core/phone";
import type { StatusEvent } from "@/lib/whatsapp/status-webhooks";
import { firstPricing, type Priced, pricingColumns, type StoredPricing, storedPricing } from "./pricing";

/** The combined effect of status events on a message; `null` means no change. */
export type StatusChange = {
  status: MessageStatus | null;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  failedAt: Date | null;
  failure: StatusEvent["failure"];
  pricing: Priced | null;
};

/** Returns a status's index in the enum: PENDING 0 < UNKNOWN 1 < SENT 2 < FAILED 3 < DELIVERED 4 < READ 5. */
export function rank(status: MessageStatus): number {
  return messageStatus.enumValues.indexOf(status);
}

/** Maps WhatsApp's status to ours; undefined for unknown ones, which change nothing. */
export function statusOfWord(word: string): MessageStatus | undefined {
  return STATUS_OF_WORD.get(word);
}

/** Returns the combined change of events, independent of their order and repetition. */
export function foldStatusEvents(
  events: readonly Pick<StatusEvent, "status" | "occurredAt" | "failure" | "pricing">[],
): StatusChange {
  return events.map(changeOf).reduce((sum, change) => (sum === NOTHING ? change : joinChanges(sum, change)), NOTHING);
}

/** The least upper bound of two changes: highest status, earliest times, the reason of the earliest failure, the earliest price. */
export function joinChanges(a: StatusChange, b: StatusChange): StatusChange {
  return {
    status: highest(a.status, b.status),
    sentAt: earliest(a.sentAt, b.sentAt),
    deliveredAt: earliest(a.deliveredAt, b.deliveredAt),
    readAt: earliest(a.readAt, b.readAt),
    failedAt: earliest(a.failedAt, b.failedAt),
    failure: firstFailure(a, b),
    pricing: firstPricing(a.pricing, b.pricing),
  };
}

const NOTHING: StatusChange = {
  status: null,
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
  failure: null,
  pricing: null,
};

const STATUS_OF_WORD = new Map<string, MessageStatus>([
  ["sent", "SENT"],
  ["delivered", "DELIVERED"],
  ["read", "READ"],
  // A played voice message counts as read.
  ["played", "READ"],
  ["failed", "FAILED"],
]);

function changeOf({
  status: word,
  occurredAt,
  failure,
  pricing: charged,
}: Parameters<typeof foldStatusEvents>[0][number]): StatusChange {
  const status = statusOfWord(word);
  const pricing = charged && { ...charged, at: occurredAt };
  if (!status) return { ...NOTHING, pricing };
  const isDelivered = status === "DELIVERED" || status === "READ";
  return {
    status,
    sentAt: occurredAt,
    // WhatsApp may omit `delivered` while the chat is open; a read message was delivered.
    deliveredAt: isDelivered ? occurredAt : null,
    readAt: status === "READ" ? occurredAt : null,
    failedAt: status === "FAILED" ? occurredAt : null,
    failure: status === "FAILED" ? (failure ?? { code: null, reason: "WhatsApp gave no reason." }) : null,
    pricing,
  };
}

const highest = (a: MessageStatus | null, b: MessageStatus | null) =>
  a && b ? (rank(a) >= rank(b) ? a : b) : (a ?? b);
const earliest = (a: Date | null, b: Date | null) => (a && b ? (a <= b ? a : b) : (a ?? b));

// Two failures of the same second differ by text and code, so that the result does not depend on their order.
function firstFailure(a: StatusChange, b: StatusChange) {
  if (!a.failure || !b.failure) return a.failure ?? b.failure;
  const [at, bt] = [a.failedAt?.getTime() ?? 0, b.failedAt?.getTime() ?? 0];
  if (at !== bt) return at < bt ? a.failure : b.failure;
  // By bytes, whatever the locale; an absent code is last.
  const byReason = Buffer.compare(Buffer.from(a.failure.reason), Buffer.from(b.failure.reason));
  const byCode = (a.failure.code ?? Number.POSITIVE_INFINITY) <= (b.failure.code ?? Number.POSITIVE_INFINITY) ? -1 : 1;
  return (byReason || byCode) < 0 ? a.failure : b.failure;
}

/** The fields of a message that status events change. */
export type MessageState = Pick<
  Message,
  | "phase"
  | "status"
  | "sentAt"
  | "deliveredAt"
  | "readAt"
  | "failedAt"
  | "failureCode"
  | "failureReason"
  | "failureTraceId"
  | "whatsappMessageId"
>;

/** Also the fields that decide how status events change it. */
export type MatchedMessage = MessageState &
  StoredPricing &
  Pick<Message, "mode" | "type" | "createdAt" | "dispatchedAt" | "contentsRemovedAt">;

export type Transition = {
  /** The price only where it changes, which is once for most messages. */
  to: MessageState & Partial<StoredPricing>;
  /** The month of the units to take again, because the refusal had refunded them: of the plan, and of the key's cap. */
  unitMonth: string | null;
  keyUnitMonth: string | null;
  /** True if this is the first proof that a flow message was sent, because WhatsApp's response was lost. */
  mayOpenSession: boolean;
};

export function isRefused({ phase }: Pick<MessageState, "phase">): boolean {
  return phase === "REFUSED" || phase === "REFUSED_RETRYABLE";
}

/** Returns how WhatsApp's events of `whatsappMessageId` change the message; undefined if they change nothing. */
export function transitionOf(
  message: MatchedMessage,
  received: StatusChange,
  whatsappMessageId: string,
): Transition | undefined {
  const change = notBefore(message.createdAt, received);
  // WhatsApp's events override a refusal: they prove that the message was sent.
  const overridesRefusal = isRefused(message) && change.status !== null;
  const stored = storedChange(message);
  const after = joinChanges(overridesRefusal ? { ...stored, ...NOT_REFUSED } : stored, change);
  const to: Transition["to"] = {
    phase: change.status === null ? message.phase : "SENT",
    status: after.status ?? message.status,
    sentAt: after.sentAt,
    deliveredAt: after.deliveredAt,
    readAt: after.readAt,
    ...(after.failure === stored.failure ? failureOf(message) : newFailure(message, after)),
    whatsappMessageId: message.whatsappMessageId ?? whatsappMessageId,
    ...(after.pricing !== stored.pricing && pricingColumns(after.pricing)),
  };
  if (isSame(to, message)) return undefined;
  const keyUnitMonth = overridesRefusal ? monthOf(message.dispatchedAt ?? message.createdAt) : null;
  return {
    to,
    unitMonth: message.mode === "live" ? keyUnitMonth : null,
    keyUnitMonth,
    mayOpenSession:
      message.phase !== "SENT" && to.phase === "SENT" && change.status !== "FAILED" && message.type === "interactive",
  };
}

const NOT_REFUSED = { status: null, failedAt: null, failure: null };

/** Returns the stored state as if it came from events. */
function storedChange(message: MatchedMessage): StatusChange {
  const { status, sentAt, deliveredAt, readAt, failedAt, failureCode, failureReason } = message;
  const failure = failedAt === null ? null : { code: failureCode, reason: failureReason ?? "" };
  return { status, sentAt, deliveredAt, readAt, failedAt, failure, pricing: storedPricing(message) };
}

/** Clamps times to the message's creation: WhatsApp's clock differs from ours and has whole seconds. */
function notBefore(createdAt: Date, change: StatusChange): StatusChange {
  const clamped = (at: Date | null) => (at && at < createdAt ? createdAt : at);
  const { sentAt, deliveredAt, readAt } = change;
  return { ...change, sentAt: clamped(sentAt), deliveredAt: clamped(deliveredAt), readAt: clamped(readAt) };
}

const failureOf = ({ failedAt, failureCode, failureReason, failureTraceId }: MessageState) => ({
  failedAt,
  failureCode,
  failureReason,
  failureTraceId,
});

/** A late event must not restore a reason that was removed with the contents. */
const newFailure = ({ contentsRemovedAt }: MatchedMessage, { failedAt, failure }: StatusChange) => ({
  failedAt,
  failureCode: failure?.code ?? null,
  failureReason: failure && contentsRemovedAt ? REMOVED_REASON : (failure?.reason ?? null),
  failureTraceId: null,
});

const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

const isSame = (to: Transition["to"], from: MatchedMessage): boolean =>
  (Object.keys(to) as (keyof Transition["to"])[]).every((key) => to[key]?.valueOf() === from[key]?.valueOf());
