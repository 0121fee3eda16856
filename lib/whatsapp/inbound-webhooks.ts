import { isRecord } from "@/lib/text/is-record";
import { digitsOf, idOf, instantOf, wordOf } from "./webhook-change";

/** A message from a contact, as far as it concerns us. At least one of `from` and `whatsappUserId` is set. */
export type InboundMessage = {
  whatsappPhoneNumberId: string;
  /** Digits; null for people who show a user name in place of their number. */
  from: string | null;
  whatsappUserId: string | null;
  name: string | null;
  occurredAt: Date;
  /** The contact completed a flow. */
  isFlowReply: boolean;
  /** The message that this one answers, by WhatsApp's id; null where it answers none. */
  repliesTo: string | null;
  /** Another number under which the same webhook knows the person; null where there is none. */
  alias: string | null;
  /** Set where the contact did not write but moved from this number to `from`. */
  previousPhone?: string;
};

/** These speak of an earlier message, and open no 24 hours for an answer. */
const NO_NEW_MESSAGE: unknown[] = ["edit", "revoke"];

/** One of `messages[]` with the `contacts[]` beside it; undefined where no person is named or nothing was written. */
export const readInbound = (
  raw: unknown,
  {
    whatsappPhoneNumberId,
    contacts,
    receivedAt,
  }: { whatsappPhoneNumberId: string; contacts: unknown; receivedAt: Date },
): InboundMessage | undefined => {
  if (!isRecord(raw) || NO_NEW_MESSAGE.includes(raw.type)) return undefined;
  const occurredAt = instantOf(raw.timestamp, receivedAt);
  if (raw.type === "system") return readNumberChange(raw, whatsappPhoneNumberId, occurredAt);

  const contact = contactOf(raw, contacts);
  const waId = digitsOf(contact.wa_id);
  const from = digitsOf(raw.from) ?? waId;
  const whatsappUserId = idOf(raw.from_user_id) ?? idOf(contact.user_id);
  if (from === null && whatsappUserId === null) return undefined;
  return {
    whatsappPhoneNumberId,
    from,
    whatsappUserId,
    alias: from === waId ? null : waId,
    name: isRecord(contact.profile) ? wordOf(contact.profile.name) : null,
    occurredAt,
    isFlowReply: isRecord(raw.interactive) && raw.interactive.type === "nfm_reply",
    // In a group anybody may answer a message, so there it says nothing of who wrote.
    repliesTo: isRecord(raw.context) && raw.group_id === undefined ? idOf(raw.context.id) : null,
  };
};

const readNumberChange = (
  raw: Record<string, unknown>,
  whatsappPhoneNumberId: string,
  occurredAt: Date,
): InboundMessage | undefined => {
  if (!isRecord(raw.system) || raw.system.type !== "user_changed_number") return undefined;
  const from = digitsOf(raw.system.wa_id);
  const previousPhone = digitsOf(raw.from);
  if (from === null || previousPhone === null) return undefined;
  const whatsappUserId = idOf(raw.from_user_id);
  const change = { alias: null, name: null, isFlowReply: false, repliesTo: null, previousPhone };
  return { whatsappPhoneNumberId, from, whatsappUserId, occurredAt, ...change };
};

/** The contact that wrote: the one with the message's ids, or the only one where the message has none. */
const contactOf = (message: Record<string, unknown>, contacts: unknown): Record<string, unknown> => {
  const known = Array.isArray(contacts) ? contacts.filter(isRecord) : [];
  if (message.from === undefined && message.from_user_id === undefined)
    return known.length === 1 ? { ...known[0] } : {};
  const isAuthor = (contact: Record<string, unknown>) =>
    (message.from_user_id !== undefined && contact.user_id === message.from_user_id) ||
    (message.from !== undefined && contact.wa_id === message.from);
  return known.find(isAuthor) ?? {};
};
