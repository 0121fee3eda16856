import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import type { AlertGroup } from "@/lib/workspaces/alert-kinds";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** Sets the groups of alerts that a member receives by e-mail. */
export async function chooseMailedAlerts(
  workspaceId: WorkspaceId,
  { userId, groups }: { userId: string; groups: readonly AlertGroup[] },
): Promise<void> {
  await onDatabase((db) =>
    db
      .update(members)
      .set({ mailedAlerts: [...groups] })
      .where(rowsOf(members, workspaceId, { userId })),
  );
}

/** Resets the count at a member's bell. */
export async function markAlertsSeen(workspaceId: WorkspaceId, userId: string): Promise<void> {
  await onDatabase((db) =>
    db
      .update(members)
      .set({ alertsSeenAt: sql`now()` })
      .where(rowsOf(members, workspaceId, { userId })),
  );
}
