import { createHash } from "node:crypto";
import { isRecord } from "@/lib/core/json";
import { codelessReason, failureReason, readErrorObject } from "./errors";
import { constantOf, digitsOf, enumOf, idOf, instantOf, userIdOf } from "./wire";

const MAX_MESSAGE_ID_CHARACTERS = 64;
/** A status is about 500 characters. A webhook can have 4 MB, and its stored part must leave room for others. */
const MAX_RAW_CHARACTERS = 65_536;

/** Parses one of `statuses[]`; undefined if it is not about a message, or lacks the message or status. */
export function readStatus(raw: unknown, whatsappPhoneNumberId: string, receivedAt: Date): StatusEvent | undefined {
  if (!isRecord(raw)) return undefined;
  // Payments and calls have their own statuses, with a `type`; a failed payment is not a failed message.
  if (raw.type !== undefined && enumOf(raw.type) !== "message") return undefined;
  const whatsappMessageId = idOf(raw.id);
  const status = enumOf(raw.status);
  if (whatsappMessageId === null || status === null) return undefined;
  // The original JSON, except for whitespace and numbers beyond 2^53, which become strings.
  const text = JSON.stringify(raw);
  return {
    whatsappPhoneNumberId,
    whatsappMessageId,
    messageId: readMessageId(raw.biz_opaque_callback_data),
    status,
    occurredAt: instantOf(raw.timestamp, receivedAt),
    failure: readFailure(raw.errors, status),
    recipient: readRecipient(raw),
    pricing: readPricing(raw.pricing),
    raw: text.length > MAX_RAW_CHARACTERS ? null : text,
    digest: createHash("sha256").update(`${text}${whatsappPhoneNumberId}`).digest(),
  };
}

/** In a group it is the group, or one of many members. */
export function readRecipient(raw: Record<string, unknown>): StatusEvent["recipient"] {
  return enumOf(raw.recipient_type) === "group" || raw.recipient_participant_id !== undefined
    ? { waId: null, userId: null }
    : { waId: digitsOf(raw.recipient_id), userId: userIdOf(raw.recipient_user_id) };
}

/** Values are WhatsApp's own in one spelling, and it adds to them without notice; null without a category, or if it may be free or not. */
export function readPricing(raw: unknown): Pricing | null {
  if (!isRecord(raw)) return null;
  const [category, type] = [enumOf(raw.category), enumOf(raw.type)];
  // WhatsApp means to drop `billable`, and says to read `type` instead.
  const billable = typeof raw.billable === "boolean" ? raw.billable : BILLABLE_OF_TYPE.get(type);
  return category === null || billable === undefined
    ? null
    : { billable, type, category, model: constantOf(raw.pricing_model) };
}

const BILLABLE_OF_TYPE = new Map<string | null, boolean>([
  ["regular", true],
  ["free_customer_service", false],
  ["free_entry_point", false],
]);

function readMessageId(opaque: unknown): string | null {
  const id = idOf(opaque);
  return id !== null && id === opaque && id.length <= MAX_MESSAGE_ID_CHARACTERS ? id : null;
}

function readFailure(errors: unknown, status: string): StatusEvent["failure"] {
  const first: unknown = Array.isArray(errors) ? errors[0] : errors;
  const error = readErrorObject(first);
  if (error) return { code: error.code, reason: failureReason(error) };
  if (status !== "failed") return null;
  return { code: null, reason: codelessReason(first) ?? "WhatsApp gave no reason." };
}

/** How WhatsApp charges for a message; it names no amount. */
export type Pricing = { billable: boolean; type: string | null; category: string; model: string | null };

/** One status of one message, as WhatsApp reported it. */
export type StatusEvent = {
  whatsappPhoneNumberId: string;
  whatsappMessageId: string;
  /** Our message id, echoed by WhatsApp; null if it does not look like one. */
  messageId: string | null;
  /** WhatsApp's status in lower case, including unknown ones. */
  status: string;
  occurredAt: Date;
  failure: { code: number | null; reason: string } | null;
  /** The recipient's number (digits) and user id at WhatsApp; null if missing. */
  recipient: { waId: string | null; userId: string | null };
  pricing: Pricing | null;
  /** WhatsApp's own object as JSON; null if it is too long to store, or was removed. */
  raw: string | null;
  /** SHA-256 of WhatsApp's own object: a repeated delivery has the same. */
  digest: Uint8Array;
};
