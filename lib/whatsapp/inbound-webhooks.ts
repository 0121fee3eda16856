import { createHash } from "node:crypto";
import { isRecord } from "@/lib/core/json";
import { type InboundContent, readContent } from "./inbound-content";
import { digitsOf, enumOf, idOf, instantOf, userIdOf, wordOf } from "./wire";

/** What a person did: wrote, changed a number or id, or stopped or allowed marketing. At least one of `from` and `whatsappUserId` is set. */
export type InboundMessage = {
  whatsappPhoneNumberId: string;
  /** Digits; null for people who show a user name instead of their number. */
  from: string | null;
  whatsappUserId: string | null;
  name: string | null;
  username: string | null;
  occurredAt: Date;
  /** False in a group: a group message does not open the 24-hour window for its author. */
  opensWindow: boolean;
  /** The contact completed a flow. */
  isFlowReply: boolean;
  /** WhatsApp's id of the message that this one replies to; null if none. */
  repliesTo: string | null;
  /** Other numbers of the person: another spelling in the same webhook, or one they shared on request. */
  otherNumbers: string[];
  /** WhatsApp's id of the message, and what it says; null for anything else, and for a message in a group. */
  message: { whatsappMessageId: string; content: InboundContent } | null;
  /** Identifies a notice, which has no id of WhatsApp's: a repetition has the same. */
  noticeDigest?: string;
  /** A stop without a time: a second one looks like its repetition, so both count. */
  countsAgain?: boolean;
  /** Set if this is no message but a marketing preference. */
  preference?: "stop" | "resume";
  /** Set if this is no message but a change to `from` and `whatsappUserId`: the previous values. */
  previous?: { number: string | null; userId: string | null };
};

/** These refer to an earlier message, and do not open the 24-hour window. */
const NO_NEW_MESSAGE: unknown[] = ["edit", "revoke"];
/** The most in one webhook; WhatsApp sends one. */
const MAX_NUMBERS = 5;

type Envelope = { whatsappPhoneNumberId: string; contacts: unknown; receivedAt: Date };

/** Reads one of `messages[]` with the `contacts[]`; undefined without a sender or content. */
export function readInbound(
  raw: unknown,
  { whatsappPhoneNumberId, contacts, receivedAt }: Envelope,
): InboundMessage | undefined {
  if (!isRecord(raw) || NO_NEW_MESSAGE.includes(raw.type)) return undefined;
  const occurredAt = timeOf(raw, receivedAt);
  if (raw.type === "system") return readSystemMessage(raw, whatsappPhoneNumberId, occurredAt);

  const contact = contactOf(raw, contacts);
  const waId = digitsOf(contact.wa_id);
  const from = digitsOf(raw.from) ?? waId;
  const whatsappUserId = userIdOf(raw.from_user_id) ?? userIdOf(contact.user_id);
  if (from === null && whatsappUserId === null) return undefined;
  const isOfGroup = raw.group_id !== undefined;
  const whatsappMessageId = idOf(raw.id);
  return {
    whatsappPhoneNumberId,
    from,
    whatsappUserId,
    otherNumbers: [...new Set([waId, ...sharedNumbers(raw)])].flatMap((number) =>
      number === from ? [] : (number ?? []),
    ),
    ...profileOf(contact),
    occurredAt,
    opensWindow: !isOfGroup,
    isFlowReply: isRecord(raw.interactive) && raw.interactive.type === "nfm_reply",
    // In a group anyone can reply to a message, so the reply does not identify the sender.
    repliesTo: isOfGroup ? null : idOf(isRecord(raw.reaction) ? raw.reaction.message_id : contextOf(raw).id),
    message: whatsappMessageId === null || isOfGroup ? null : { whatsappMessageId, content: readContent(raw) },
  };
}

/** The latest of what a person says counts, and nothing corrects it: one dated ahead of us must not hide what follows. */
function timeOf({ timestamp }: Record<string, unknown>, receivedAt: Date): Date {
  return instantOf(timestamp, receivedAt, { aheadMs: 0 });
}

const profileOf = ({ profile }: Record<string, unknown>) => ({
  name: isRecord(profile) ? wordOf(profile.name) : null,
  username: isRecord(profile) ? wordOf(profile.username) : null,
});

const contextOf = ({ context }: Record<string, unknown>) => (isRecord(context) ? context : {});

/** What WhatsApp's values mean; `signup` is a link by which people subscribe. */
const PREFERENCES = new Map<string | null, "stop" | "resume">([
  ["stop", "stop"],
  ["resume", "resume"],
  ["signup", "resume"],
]);

/** Parses one of `user_preferences[]`; undefined if it names no person, or is not about marketing messages. */
export function readPreference(
  raw: unknown,
  { whatsappPhoneNumberId, receivedAt }: Envelope,
): InboundMessage | undefined {
  if (!isRecord(raw) || enumOf(raw.category) !== "marketing_messages") return undefined;
  const preference = PREFERENCES.get(enumOf(raw.value));
  const from = digitsOf(raw.wa_id);
  const whatsappUserId = userIdOf(raw.user_id);
  if (!preference || (from ?? whatsappUserId) === null) return undefined;
  const about = { whatsappPhoneNumberId, from, whatsappUserId, occurredAt: timeOf(raw, receivedAt) };
  const countsAgain = preference === "stop" && Number.isNaN(Number(raw.timestamp));
  return { ...NO_MESSAGE, ...about, preference, noticeDigest: digestOf(raw), countsAgain };
}

const digestOf = (raw: unknown): string => createHash("sha256").update(JSON.stringify(raw)).digest("base64url");

const NO_MESSAGE = {
  name: null,
  username: null,
  opensWindow: false,
  isFlowReply: false,
  repliesTo: null,
  otherNumbers: [],
  message: null,
};

/** Parses one of `user_id_update[]`, a system message in another form. Undefined if an id is missing. */
export function readUserIdUpdate(raw: unknown, { whatsappPhoneNumberId, contacts, receivedAt }: Envelope) {
  if (!isRecord(raw) || !isRecord(raw.user_id)) return undefined;
  const userId = userIdOf(raw.user_id.current);
  const contact = Array.isArray(contacts) ? contacts.find((one) => isRecord(one) && one.user_id === userId) : undefined;
  return changeOf(raw, whatsappPhoneNumberId, timeOf(raw, receivedAt), {
    number: digitsOf(raw.wa_id) ?? (isRecord(contact) ? digitsOf(contact.wa_id) : null),
    userId,
    previous: { number: null, userId: userIdOf(raw.user_id.previous) },
  });
}

/** Returns the number that a person shared on request. Any other contact card may be someone else's. */
function sharedNumbers(raw: Record<string, unknown>): (string | null)[] {
  const cards = raw.type === "contacts" && Array.isArray(raw.contacts) ? raw.contacts.filter(isRecord) : [];
  return cards
    .filter(({ origin }) => origin === "contact_request")
    .flatMap(({ phones }) => (Array.isArray(phones) ? phones : []))
    .slice(0, MAX_NUMBERS)
    .map((phone: unknown) => (isRecord(phone) ? digitsOf(phone.wa_id) : null));
}

const CHANGES: (string | null)[] = ["user_changed_number", "user_changed_user_id"];

function readSystemMessage(raw: Record<string, unknown>, whatsappPhoneNumberId: string, occurredAt: Date) {
  const { system } = raw;
  if (!isRecord(system) || !CHANGES.includes(enumOf(system.type))) return undefined;
  const sentence = readSentence(system.body);
  const userId = userIdOf(system.user_id) ?? userIdIn(sentence?.to);
  const sender = userIdOf(raw.from_user_id);
  return changeOf(raw, whatsappPhoneNumberId, occurredAt, {
    number: digitsOf(system.wa_id) ?? digitsOf(system.new_wa_id) ?? digitsOf(sentence?.to),
    userId,
    previous: {
      number: digitsOf(raw.from) ?? digitsOf(sentence?.from),
      userId: userIdOf(system.previous_user_id) ?? (sender === userId ? null : sender) ?? userIdIn(sentence?.from),
    },
  });
}

/** `User NAME changed from OLD to NEW`, with numbers or ids. NAME may be long and contain the same words. */
function readSentence(body: unknown): { from: string; to: string } | undefined {
  if (typeof body !== "string") return undefined;
  const said = body.slice(Math.max(0, body.lastIndexOf(CHANGED))).slice(0, MAX_SAID_CHARACTERS);
  const [from, to, ...more] = said.slice(CHANGED.length).trim().split(" to ");
  if (!said.startsWith(CHANGED) || !from || !to || more.length > 0) return undefined;
  return { from: from.trim(), to: to.trim().replace(/\.$/, "") };
}

const CHANGED = " changed from ";
const MAX_SAID_CHARACTERS = 400;

/** A user id: a country, a dot, letters and digits. */
const userIdIn = (text: string | undefined): string | null =>
  text !== undefined && /^[A-Z]{2}\.[A-Za-z0-9.]{1,140}$/.test(text) ? text : null;

type Change = { number: string | null; userId: string | null; previous: NonNullable<InboundMessage["previous"]> };

/** Returns only the values that changed. Undefined if the notice lacks the old or the new value. */
function changeOf(
  raw: unknown,
  whatsappPhoneNumberId: string,
  occurredAt: Date,
  { number, userId, previous: given }: Change,
): InboundMessage | undefined {
  const previous = {
    number: given.number === number ? null : given.number,
    userId: given.userId === userId ? null : given.userId,
  };
  if ((number ?? userId) === null || (previous.number ?? previous.userId) === null) return undefined;
  const about = { whatsappPhoneNumberId, from: number, whatsappUserId: userId, occurredAt };
  return { ...NO_MESSAGE, ...about, previous, noticeDigest: digestOf(raw) };
}

/** Returns the author: the contact with the message's ids, or the only one if the message has none. */
function contactOf(message: Record<string, unknown>, contacts: unknown): Record<string, unknown> {
  const known = Array.isArray(contacts) ? contacts.filter(isRecord) : [];
  if (message.from === undefined && message.from_user_id === undefined)
    return known.length === 1 ? { ...known[0] } : {};
  const isAuthor = (contact: Record<string, unknown>) =>
    (message.from_user_id !== undefined && contact.user_id === message.from_user_id) ||
    (message.from !== undefined && contact.wa_id === message.from);
  return known.find(isAuthor) ?? {};
}
