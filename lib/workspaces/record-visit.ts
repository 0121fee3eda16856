import { and, eq, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";

const EVERY_MS = 5 * 60_000;

/** Whether a visit is worth a write. */
export function isVisitDue(lastSeenAt: Date | null, now: Date): boolean {
  return !lastSeenAt || now.getTime() - lastSeenAt.getTime() >= EVERY_MS;
}

/** Stores a member's last visit, every five minutes at most. */
export async function recordVisit(workspaceId: WorkspaceId, userId: string): Promise<void> {
  await onDatabase(
    (db) =>
      db
        .update(members)
        .set({ lastSeenAt: sql`now()` })
        .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId))),
    { pool: "records" },
  );
}
