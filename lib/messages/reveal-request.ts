import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type Mode, messages } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { SendRequest } from "./send-request";

/** What was asked to be sent; `request` is null once the contents were removed. */
export type RevealedSend = { mode: Mode; request: SendRequest | null };

/** The contents of a message, for a member, whose look at them is logged. Throws NOT_FOUND. */
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
