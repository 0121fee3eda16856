import { columnsOf } from "@/db/columns";
import { messages, statusEvents } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import type { SendRequest } from "@/lib/messages/send-request";
import { type Author, audited } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** The original send request; `request` is null after the contents were removed. */
export type RevealedSend = { mode: Mode; request: SendRequest | null };

/** Returns a message's contents to a member, and records the access in the audit log. Throws NOT_FOUND. */
export function revealRequest(workspaceId: WorkspaceId, messageId: string, by: Author): Promise<RevealedSend> {
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = rowsOf(messages, workspaceId, { id: messageId });
    const [message] = await tx
      .select(columnsOf(messages, "mode", "request"))
      .from(messages)
      .where(isThis);
    if (!message) throw new AppError("NOT_FOUND", "No such message in this workspace.");
    const { mode, request } = message;
    if (request === null) return { mode, request };
    await record("message.revealed", messageId, { before: null, after: { part: "request" } });
    return { mode, request: asStored(request) };
  });
}

/** Written by a send from a validated request, and by nothing else. */
const asStored = (text: string): SendRequest => JSON.parse(text);

/**
 * Returns WhatsApp's raw object of an event to a member, and records the access in the audit log; null after it was
 * removed. Throws NOT_FOUND, also for an event without a known message.
 */
export function revealWebhook(workspaceId: WorkspaceId, eventId: string, by: Author): Promise<unknown> {
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = rowsOf(statusEvents, workspaceId, { id: eventId });
    const [event] = await tx
      .select(columnsOf(statusEvents, "messageId", "raw"))
      .from(statusEvents)
      .where(isThis);
    if (!event?.messageId) throw new AppError("NOT_FOUND", "No such event of a message in this workspace.");
    if (event.raw === null) return null;
    await record("message.revealed", event.messageId, { before: null, after: { part: "webhook", eventId } });
    return JSON.parse(event.raw);
  });
}
