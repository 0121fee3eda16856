import type { Message } from "@/db/schema";

/** What the API shows of a message. */
type Shown = Pick<
  Message,
  "id" | "status" | "whatsappMessageId" | "failureReason" | "sentAt" | "deliveredAt" | "readAt" | "createdAt"
>;

/** The public Message: every field always there, null rather than missing, instants as ISO 8601 in UTC. */
export function toMessageResource(message: Shown, { idempotentReplay }: { idempotentReplay: boolean }) {
  return {
    id: message.id,
    status: message.status,
    chatMessageId: message.whatsappMessageId,
    failureReason: message.status === "FAILED" ? message.failureReason : null,
    sentAt: message.sentAt?.toISOString() ?? null,
    deliveredAt: message.deliveredAt?.toISOString() ?? null,
    readAt: message.readAt?.toISOString() ?? null,
    createdAt: message.createdAt.toISOString(),
    idempotentReplay,
  };
}
