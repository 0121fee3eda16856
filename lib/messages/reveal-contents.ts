import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type Mode, messages, statusEvents } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { SendRequest } from "./send-request";

/** The original send request; `request` is null after the contents were removed. */
export type RevealedSend = { mode: Mode; request: SendRequest | null };

/** Returns a message's contents to a member, and records the access in the audit log. Throws NOT_FOUND. */
export function revealRequest(workspaceId: WorkspaceId, messageId: string, by: Author): Promise<RevealedSend> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const [message] = await tx
        .select({ mode: messages.mode, request: messages.request })
        .from(messages)
        .where(and(eq(messages.workspaceId, workspaceId), eq(messages.id, messageId)));
      if (!message) throw new AppError("NOT_FOUND", "No such message in this workspace.");
      const { mode, request } = message;
      if (request === null) return { mode, request };
      await recordAudit(tx, workspaceId, {
        by,
        action: "message.revealed",
        targetId: messageId,
        before: null,
        after: { part: "request" },
      });
      return { mode, request: asStored(request) };
    }),
  );
}

/** Written by a send from a validated request, and by nothing else. */
const asStored = (text: string): SendRequest => JSON.parse(text);

/**
 * Returns WhatsApp's raw object of an event to a member, and records the access in the audit log; null after it was
 * removed. Throws NOT_FOUND, also for an event without a known message.
 */
export function revealWebhook(workspaceId: WorkspaceId, eventId: string, by: Author): Promise<unknown> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const [event] = await tx
        .select({ messageId: statusEvents.messageId, raw: statusEvents.raw })
        .from(statusEvents)
        .where(and(eq(statusEvents.workspaceId, workspaceId), eq(statusEvents.id, eventId)));
      if (!event?.messageId) throw new AppError("NOT_FOUND", "No such event of a message in this workspace.");
      if (event.raw === null) return null;
      await recordAudit(tx, workspaceId, {
        by,
        action: "message.revealed",
        targetId: event.messageId,
        before: null,
        after: { part: "webhook", eventId },
      });
      return JSON.parse(event.raw);
    }),
  );
}
