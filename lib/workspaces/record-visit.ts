import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "./rows-of";

const EVERY_MS = 5 * 60_000;

/** Whether the last stored visit is old enough to write a new one. */
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
        .where(rowsOf(members, workspaceId, { userId })),
    { pool: "records" },
  );
}
