import type { Mode } from "@/lib/core/principal";
import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";
import { type ContactEvent, eventId } from "./announce-contacts";
import type { Preference } from "./person";

/** Which texts stop marketing in a workspace, and which allow it again. */
export type Words = Record<"isStop" | "isStart", (text: string) => boolean>;

/**
 * Returns the person's marketing preference: WhatsApp's notice, or a message that is one of the workspace's words. The
 * payload of a button counts as its text; where they differ, a stop prevails.
 */
export function preferenceIn(
  { preference, message }: InboundMessage,
  words: Words | undefined,
): Omit<Preference, "atMs"> | undefined {
  if (preference) return { isStop: preference === "stop", source: "whatsapp" };
  if (!words || !message || !WRITTEN.includes(message.content.type)) return undefined;
  const { type, text, payload } = message.content;
  const given = [text, type === "button" ? payload : null].filter((one) => one !== null);
  const isStop = given.some(words.isStop);
  return isStop || given.some(words.isStart) ? { isStop, source: "word" } : undefined;
}

/** What a person writes or chooses; the caption of a picture is no answer. */
const WRITTEN = ["text", "button", "list"];

type Known = {
  message: InboundMessage;
  workspaceId: string;
  phoneNumberId: string;
  mode: Mode;
  contactId: string;
  answered: { id: string; idempotency_key: string | null } | null;
  preference: Omit<Preference, "atMs"> | undefined;
};

/** Returns the events of an inbound message or notice. A stop word is both a message and a marketing preference. */
export function eventsOf({ message: inbound, preference, answered, ...about }: Known): ContactEvent[] {
  const { workspaceId, phoneNumberId, mode, contactId } = about;
  const { occurredAt, from, whatsappUserId, previous, message, repliesTo, name, username, noticeDigest = "" } = inbound;
  const of = { workspaceId, contactId, mode, occurredAt };
  if (previous) {
    const snapshot = {
      phone: from,
      previousPhone: previous.number,
      userId: whatsappUserId,
      previousUserId: previous.userId,
    };
    return [{ ...of, type: "contact.changed", key: `changed\n${noticeDigest}`, snapshot }];
  }
  const events: ContactEvent[] = [];
  if (message) {
    const { content, whatsappMessageId } = message;
    const { type, text, payload, isTruncated, ...parts } = content;
    events.push({
      ...of,
      type: "message.received",
      key: ["received", phoneNumberId, whatsappMessageId].join("\n"),
      snapshot: {
        id: eventId("in", workspaceId, phoneNumberId, whatsappMessageId),
        phoneNumberId,
        type,
        text,
        payload,
        isTruncated: isTruncated ? "true" : null,
        media: asJson(parts.media),
        location: asJson(parts.location),
        context: asJson(parts.context),
        referral: asJson(parts.referral),
        whatsappMessageId,
        name,
        username,
        answeredId: answered?.id ?? null,
        answeredKey: answered?.idempotency_key ?? null,
        // Perhaps of a send whose response is still under way: looked up again when it is delivered.
        ...(answered === null && repliesTo !== null && { repliesTo }),
      },
    });
  }
  if (preference) {
    const { isStop, source } = preference;
    const type = isStop ? "contact.opted_out" : "contact.opted_in";
    const key = [type, phoneNumberId, message?.whatsappMessageId ?? noticeDigest].join("\n");
    events.push({ ...of, type, key, snapshot: { phoneNumberId, source } });
  }
  return events;
}

const asJson = (part: object | null): string | null => part && JSON.stringify(part);
