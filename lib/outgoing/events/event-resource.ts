import type { Message, MessageStatus } from "@/db/schema";
import { toMessageResource } from "@/lib/api/message-resource";
import { env } from "@/lib/core/env";
import { maskedPhone } from "@/lib/core/phone";
import { characterCount } from "@/lib/core/text";
import type { MADE_FIELDS } from "@/lib/messages/columns";
import type { Pricing } from "@/lib/whatsapp/status-webhooks";
import { subjectOf, TEST_EVENT, TEST_MESSAGE } from "./event-types";

/** An event as stored in the outbox. */
export type StoredEvent = {
  type: string;
  subjectId: string;
  sequence: number;
  occurredAt: Date;
  snapshot: Record<string, string | null>;
  /** Of the message that it is about, beside the snapshot of its status. */
  message: (Pick<Message, (typeof MADE_FIELDS)[number]> & { contactId: string }) | null;
};

/** Why nothing was sent, in words. */
export class NotSent extends Error {}

/** The public Event: what happened, when, and its subject as the event left it. Throws NotSent without its message's row. */
export function toEventResource({ type, occurredAt, sequence, ...event }: StoredEvent) {
  return {
    type,
    timestamp: occurredAt.toISOString(),
    sequence,
    data: dataOf(type, event),
  };
}

function dataOf(
  type: string,
  { subjectId, snapshot, message }: Pick<StoredEvent, "subjectId" | "snapshot" | "message">,
) {
  if (type === TEST_EVENT) return { message: TEST_MESSAGE };
  if (type.startsWith("alert.")) {
    const { kind = "", severity = "", sentence = "", subjectId: about = "", path = "" } = snapshot;
    const [openedAt, closedAt] = [instantOf(snapshot.openedAt), instantOf(snapshot.closedAt)];
    return {
      id: subjectId,
      kind,
      severity,
      sentence: sentence ?? "",
      subjectId: about,
      url: `${env().APP_URL}${path}`,
      openedAt: openedAt?.toISOString() ?? "",
      closedAt: closedAt?.toISOString() ?? null,
    };
  }
  if (subjectOf(type) === "contact") return contactData(type, subjectId, snapshot);
  const { name, language, category, status, rejectedReason } = snapshot;
  if (type.startsWith("template.")) return { id: subjectId, name, language, category, status, rejectedReason };
  if (!message) throw new NotSent("The message was deleted from the database.");
  const { contactId, idempotencyKey } = message;
  const resource = toMessageResource(
    {
      ...message,
      id: subjectId,
      // What the enum's own column held.
      status: status as MessageStatus,
      whatsappMessageId: snapshot.whatsappMessageId ?? null,
      failureReason: snapshot.failureReason ?? null,
      sentAt: instantOf(snapshot.sentAt),
      deliveredAt: instantOf(snapshot.deliveredAt),
      readAt: instantOf(snapshot.readAt),
    },
    { idempotentReplay: false },
  );
  return {
    ...resource,
    contactId,
    idempotencyKey,
    pricing: snapshot.pricing ? (JSON.parse(snapshot.pricing) as Pricing) : null,
  };
}

/** As pages show it: what a person wrote, and their name, stay hidden; numbers and user ids are masked. */
export function hideContents({ data, ...event }: ReturnType<typeof toEventResource>) {
  const shown = Object.entries(data).map(([name, value]) => [name, HIDDEN[name]?.(value) ?? value]);
  return { ...event, data: subjectOf(event.type) === "contact" ? Object.fromEntries(shown) : data };
}

const hidden = (value: unknown): string | null =>
  value === null ? null : `<${characterCount(typeof value === "string" ? value : JSON.stringify(value))} characters>`;
const masked = (value: unknown): string | null => (typeof value === "string" ? maskedPhone(value) : null);

const HIDDEN: Record<string, (value: unknown) => string | null> = {
  text: hidden,
  payload: hidden,
  media: hidden,
  location: hidden,
  context: hidden,
  referral: hidden,
  chatMessageId: hidden,
  name: hidden,
  username: hidden,
  phone: masked,
  previousPhone: masked,
  userId: masked,
  previousUserId: masked,
};

/** What a person wrote or what they are called is null once it was removed. */
function contactData(type: string, contactId: string, snapshot: StoredEvent["snapshot"]) {
  const of = (name: string): string | null => snapshot[name] ?? null;
  /** With the fields that were not stored yet. */
  const parsed = (name: string, absent: object): unknown => {
    const part: object | null = JSON.parse(of(name) ?? "null");
    return part && { ...absent, ...part };
  };
  const phoneNumberId = of("phoneNumberId");
  if (type === "contact.changed") {
    const [phone, previousPhone] = [of("phone"), of("previousPhone")];
    const [userId, previousUserId] = [of("userId"), of("previousUserId")];
    return { contactId, phone, previousPhone, userId, previousUserId, mergedContactId: of("mergedContactId") };
  }
  if (type !== "message.received") return { contactId, phoneNumberId, source: of("source") };
  const [messageId, idempotencyKey] = [of("answeredId"), of("answeredKey")];
  return {
    id: of("id"),
    contactId,
    phoneNumberId,
    type: of("type"),
    text: of("text"),
    payload: of("payload"),
    truncated: of("isTruncated") !== null,
    media: parsed("media", { fileName: null, voice: false, animated: false }),
    location: parsed("location", { url: null }),
    context: contextOf(of("context")),
    referral: parsed("referral", {}),
    replyTo: messageId === null ? null : { messageId, idempotencyKey },
    chatMessageId: of("whatsappMessageId"),
    name: of("name"),
    username: of("username"),
  };
}

function contextOf(stored: string | null): object | null {
  if (stored === null) return null;
  const { whatsappMessageId: chatMessageId, ...context } = JSON.parse(stored);
  return { chatMessageId, ...context };
}

const instantOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);
