import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { messages } from "@/db/schema";
import type { Author } from "@/lib/audit/author";
import { recordAudit } from "@/lib/audit/record-audit";
import { AppError } from "@/lib/errors";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { SendRequest } from "./send-request";

/** What was asked to be sent, for somebody whose look at it is noted; null once the contents were removed. */
export const revealRequest = (workspaceId: WorkspaceId, messageId: string, by: Author): Promise<SendRequest | null> =>
  onDatabase((db) =>
    db.transaction(async (tx) => {
      const [message] = await tx
        .select({ request: messages.request })
        .from(messages)
        .where(and(eq(messages.workspaceId, workspaceId), eq(messages.id, messageId)));
      if (!message) throw new AppError("NOT_FOUND", "No such message in this workspace.");
      if (message.request === null) return null;
      await recordAudit(tx, workspaceId, {
        ...{ by, action: "message.revealed", targetId: messageId },
        ...{ before: null, after: { part: "request" } },
      });
      return asStored(message.request);
    }),
  );

/** Written by a send from a validated request, and by nobody else. */
const asStored = (text: string): SendRequest => JSON.parse(text);
