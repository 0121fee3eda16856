import { eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { workspaces } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";
import { changeOf } from "./change";
import { recordAudit } from "./record-audit";

/** `retentionDays` null: the deployment's own number. */
export type WorkspaceSettings = { name: string; timeZone: string; retentionDays: number | null };

/** Does not check permissions: the caller must. */
export function changeWorkspace(workspaceId: WorkspaceId, settings: WorkspaceSettings, by: Author): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const isThis = eq(workspaces.id, workspaceId);
      const [before] = await tx.select().from(workspaces).where(isThis).for("no key update");
      const change = changeOf(before, settings);
      if (!change) return;
      await tx.update(workspaces).set(settings).where(isThis);
      await recordAudit(tx, workspaceId, { by, action: "workspace.changed", targetId: workspaceId, ...change });
    }),
  );
}
