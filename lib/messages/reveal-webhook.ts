import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { statusEvents } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";

/**
 * WhatsApp's own object behind an event of a message, for a member, whose look at it is logged; null once it was
 * removed. Throws NOT_FOUND, also for an event that still waits for its message.
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
