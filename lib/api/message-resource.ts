import { z } from "zod";
import type { Message as StoredMessage } from "@/db/schema";
import type { SHOWN_FIELDS } from "@/lib/messages/columns";

/** The public Message: every field is present, null if unset; times are ISO 8601 in UTC. */
export const Message = z
  .strictObject({
    id: z.string().describe("Our id of the message, by which its status is read."),
    status: z
      .enum(["PENDING", "UNKNOWN", "SENT", "DELIVERED", "READ", "FAILED"])
      .describe(
        "No event moves it back. `FAILED` becomes `SENT` where a message that was not sent passes when it is retried under its key.",
      ),
    chatMessageId: z.string().nullable().describe("WhatsApp’s id, once it has accepted the message."),
    failureReason: z
      .string()
      .nullable()
      .describe("Why it failed: WhatsApp’s code and words. Null unless the status is `FAILED`."),
    sentAt: z.iso.datetime().nullable().describe("When WhatsApp accepted it."),
    deliveredAt: z.iso.datetime().nullable().describe("When it reached the recipient’s device."),
    readAt: z.iso.datetime().nullable().describe("When it was opened; never, where read receipts are off."),
    createdAt: z.iso.datetime().describe("When we took the send."),
    idempotentReplay: z.boolean().describe("True where this key had sent it before, and nothing was sent now."),
  })
  .meta({ id: "Message" });

export type Message = z.infer<typeof Message>;

type Shown = Pick<StoredMessage, (typeof SHOWN_FIELDS)[number]>;

export function toMessageResource(message: Shown, { idempotentReplay }: { idempotentReplay: boolean }): Message {
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

export const MESSAGE_EXAMPLE: Message = {
  id: "msg_01kd7x2m9q4v8c3t6w1z5r0n",
  status: "SENT",
  chatMessageId: "wamid.HBgMNDQ3NzAwOTAwMDAz",
  failureReason: null,
  sentAt: "2026-01-05T12:09:11.214Z",
  deliveredAt: null,
  readAt: null,
  createdAt: "2026-01-05T12:09:11.020Z",
  idempotentReplay: false,
};

type Sent = { isReplay: boolean; isLeftNumber?: boolean | undefined; ignoredFields: readonly string[] };

/** Returns a send's response headers: replay, fields without effect, and a warning if the person left the number. */
export function sendHeaders({ isReplay, isLeftNumber = false, ignoredFields }: Sent): Record<string, string> {
  const warnings = [
    ...(ignoredFields.length > 0
      ? [`${ignoredFields.join(", ")} ignored: templateComponents is passed on unchanged`]
      : []),
    ...(isLeftNumber ? ["the person with this number has changed it; send by contactId to reach them"] : []),
  ];
  return {
    ...(isReplay ? { "Idempotent-Replayed": "true" } : {}),
    ...(warnings.length > 0 ? { Warning: warnings.map((text) => `299 - "${text}"`).join(", ") } : {}),
  };
}
