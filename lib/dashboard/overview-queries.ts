import { and, desc, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { messages } from "@/db/schema";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { selectMessages } from "@/lib/messages/message-summary";

const LATEST_MESSAGES = 5;

/** The newest messages of a mode; `words`: with their first words. */
export function listLatestMessages(workspaceId: WorkspaceId, { mode, words }: { mode: Mode; words: boolean }) {
  return onDatabase((db) =>
    selectMessages(db, { names: true, words })
      .where(and(eq(messages.workspaceId, workspaceId), eq(messages.mode, mode)))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(LATEST_MESSAGES),
  );
}
