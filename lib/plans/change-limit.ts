import { eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { workspaces } from "@/db/schema";
import type { Author } from "@/lib/audit/author";
import { changeOf } from "@/lib/audit/change";
import { recordAudit } from "@/lib/audit/record-audit";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";

/**
 * Gives the workspace a monthly limit of its own, or with null its plan's again. It holds from the next message on.
 * Whether `by` may is for the caller to check.
 */
export const changeLimit = (workspaceId: WorkspaceId, messageLimit: number | null, by: Author): Promise<void> =>
  onDatabase((db) =>
    db.transaction(async (tx) => {
      const isThis = eq(workspaces.id, workspaceId);
      const [before] = await tx
        .select({ messageLimit: workspaces.messageLimit })
        .from(workspaces)
        .where(isThis)
        .for("no key update");
      const change = changeOf(before, { messageLimit });
      if (!change) return;
      await tx.update(workspaces).set({ messageLimit }).where(isThis);
      await recordAudit(tx, workspaceId, {
        ...{ by, action: "workspace.limitChanged", targetId: workspaceId },
        ...change,
      });
    }),
  );
