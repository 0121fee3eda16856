import { isRecord } from "@/lib/core/is-record";
import { digitsOf, idOf, instantOf, userIdOf, wordOf } from "./webhook-change";

/** A message from a contact, as far as it concerns us. At least one of `from` and `whatsappUserId` is set. */
export type InboundMessage = {
  whatsappPhoneNumberId: string;
  /** Digits; null for people who show a user name in place of their number. */
  from: string | null;
  whatsappUserId: string | null;
  name: string | null;
  occurredAt: Date;
  /** A message in a group opens no 24 hours for an answer to its author. */
  opensWindow: boolean;
  /** The contact completed a flow. */
  isFlowReply: boolean;
  /** The message that this one answers, by WhatsApp's id; null where it answers none. */
  repliesTo: string | null;
  /** Other numbers of the person: as the same webhook writes theirs, and what they shared when asked for it. */
  otherNumbers: string[];
  /** Set where the contact did not write but changed to `from` and `whatsappUserId`: what they had before. */
  previous?: { number: string | null; userId: string | null };
};

/** These speak of an earlier message, and open no 24 hours for an answer. */
const NO_NEW_MESSAGE: unknown[] = ["edit", "revoke"];
/** Of one webhook; the platform sends one. */
const MOST_NUMBERS = 5;

type Envelope = { whatsappPhoneNumberId: string; contacts: unknown; receivedAt: Date };

/** One of `messages[]` with the `contacts[]` beside it; undefined where no person is named or nothing was written. */
export function readInbound(
  raw: unknown,
  { whatsappPhoneNumberId, contacts, receivedAt }: Envelope,
): InboundMessage | undefined {
  if (!isRecord(raw) || NO_NEW_MESSAGE.includes(raw.type)) return undefined;
  const occurredAt = instantOf(raw.timestamp, receivedAt);
  if (raw.type === "system") return readSystemMessage(raw, whatsappPhoneNumberId, occurredAt);

  const contact = contactOf(raw, contacts);
  const waId = digitsOf(contact.wa_id);
  const from = digitsOf(raw.from) ?? waId;
  const whatsappUserId = userIdOf(raw.from_user_id) ?? userIdOf(contact.user_id);
  if (from === null && whatsappUserId === null) return undefined;
  const isOfGroup = raw.group_id !== undefined;
  return {
    whatsappPhoneNumberId,
    from,
    whatsappUserId,
    otherNumbers: [...new Set([waId, ...sharedNumbers(raw)])].flatMap((number) =>
      number === from ? [] : (number ?? []),
    ),
    name: isRecord(contact.profile) ? wordOf(contact.profile.name) : null,
    occurredAt,
    opensWindow: !isOfGroup,
    isFlowReply: isRecord(raw.interactive) && raw.interactive.type === "nfm_reply",
    // In a group anybody may answer a message, so there it says nothing of who wrote.
    repliesTo: isRecord(raw.context) && !isOfGroup ? idOf(raw.context.id) : null,
  };
}

/** One of `user_id_update[]`: the same notice as a system message, in another form. Undefined where an id is missing. */
export function readUserIdUpdate(raw: unknown, { whatsappPhoneNumberId, contacts, receivedAt }: Envelope) {
  if (!isRecord(raw) || !isRecord(raw.user_id)) return undefined;
  const userId = userIdOf(raw.user_id.current);
  const contact = Array.isArray(contacts) ? contacts.find((one) => isRecord(one) && one.user_id === userId) : undefined;
  return changeOf(whatsappPhoneNumberId, instantOf(raw.timestamp, receivedAt), {
    number: digitsOf(raw.wa_id) ?? (isRecord(contact) ? digitsOf(contact.wa_id) : null),
    userId,
    previous: { number: null, userId: userIdOf(raw.user_id.previous) },
  });
}

/** The number that a person shares when asked for it. Any other contact card may be of another person. */
const sharedNumbers = (raw: Record<string, unknown>): (string | null)[] => {
  const cards = raw.type === "contacts" && Array.isArray(raw.contacts) ? raw.contacts.filter(isRecord) : [];
  return cards
    .filter(({ origin }) => origin === "contact_request")
    .flatMap(({ phones }) => (Array.isArray(phones) ? phones : []))
    .slice(0, MOST_NUMBERS)
    .map((phone: unknown) => (isRecord(phone) ? digitsOf(phone.wa_id) : null));
};

const CHANGES: unknown[] = ["user_changed_number", "user_changed_user_id"];

const readSystemMessage = (raw: Record<string, unknown>, whatsappPhoneNumberId: string, occurredAt: Date) => {
  const { system } = raw;
  if (!isRecord(system) || !CHANGES.includes(system.type)) return undefined;
  const sentence = readSentence(system.body);
  const userId = userIdOf(system.user_id) ?? userIdIn(sentence?.to);
  const sender = userIdOf(raw.from_user_id);
  return changeOf(whatsappPhoneNumberId, occurredAt, {
    number: digitsOf(system.wa_id) ?? digitsOf(system.new_wa_id) ?? digitsOf(sentence?.to),
    userId,
    previous: {
      number: digitsOf(raw.from) ?? digitsOf(sentence?.from),
      userId: userIdOf(system.previous_user_id) ?? (sender === userId ? null : sender) ?? userIdIn(sentence?.from),
    },
  });
};

/** `User NAME changed from OLD to NEW`, of numbers or ids; a name may hold the same words, and be of any length. */
const readSentence = (body: unknown): { from: string; to: string } | undefined => {
  if (typeof body !== "string") return undefined;
  const said = body.slice(Math.max(0, body.lastIndexOf(CHANGED))).slice(0, MOST_SAID_CHARACTERS);
  const [from, to, ...more] = said.slice(CHANGED.length).trim().split(" to ");
  if (!said.startsWith(CHANGED) || !from || !to || more.length > 0) return undefined;
  return { from: from.trim(), to: to.trim().replace(/\.$/, "") };
};

const CHANGED = " changed from ";
const MOST_SAID_CHARACTERS = 400;

/** A user id: a country, a dot, letters and digits. */
const userIdIn = (text: string | undefined): string | null =>
  text !== undefined && /^[A-Z]{2}\.[A-Za-z0-9.]{1,140}$/.test(text) ? text : null;

type Change = { number: string | null; userId: string | null; previous: NonNullable<InboundMessage["previous"]> };

/** What did not change is no former name. Undefined where the notice does not say from what, or to what. */
const changeOf = (
  whatsappPhoneNumberId: string,
  occurredAt: Date,
  { number, userId, previous: given }: Change,
): InboundMessage | undefined => {
  const previous = {
    number: given.number === number ? null : given.number,
    userId: given.userId === userId ? null : given.userId,
  };
  if ((number ?? userId) === null || (previous.number ?? previous.userId) === null) return undefined;
  const rest = { name: null, opensWindow: false, isFlowReply: false, repliesTo: null, otherNumbers: [] };
  return { whatsappPhoneNumberId, from: number, whatsappUserId: userId, occurredAt, ...rest, previous };
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
