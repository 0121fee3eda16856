import type { MessageStatus } from "@/db/schema";
import { TEST_EVENT } from "./event-types";
import { toMessageResource } from "./message-resource";

/** An event as the outbox holds it. */
export type StoredEvent = {
  type: string;
  subjectId: string;
  sequence: number;
  occurredAt: Date;
  snapshot: Record<string, string | null>;
  /** Of the message that it is about. */
  message: { createdAt: Date; idempotencyKey: string | null } | null;
};

/** The public Event: what happened, when, and its subject as the event left it. */
export function toEventResource({ type, occurredAt, sequence, ...event }: StoredEvent) {
  return {
    type,
    timestamp: occurredAt.toISOString(),
    sequence,
    data: dataOf(type, event),
  };
}

const dataOf = (
  type: string,
  { subjectId, snapshot, message }: Pick<StoredEvent, "subjectId" | "snapshot" | "message">,
) => {
  if (type === TEST_EVENT) return { message: "This endpoint receives the events of Switchboard." };
  const { name, language, category, status, rejectedReason } = snapshot;
  if (type.startsWith("template.")) return { id: subjectId, name, language, category, status, rejectedReason };
  const resource = toMessageResource(
    {
      id: subjectId,
      // What the enum's own column held.
      status: status as MessageStatus,
      whatsappMessageId: snapshot.whatsappMessageId ?? null,
      failureReason: snapshot.failureReason ?? null,
      sentAt: instantOf(snapshot.sentAt),
      deliveredAt: instantOf(snapshot.deliveredAt),
      readAt: instantOf(snapshot.readAt),
      createdAt: message?.createdAt ?? new Date(0),
    },
    { idempotentReplay: false },
  );
  return { ...resource, idempotencyKey: message?.idempotencyKey ?? null };
};

const instantOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);
