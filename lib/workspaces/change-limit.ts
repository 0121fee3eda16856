import { eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { workspaces } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";
import { changeOf } from "./change";
import { recordAudit } from "./record-audit";

/** What owners read where ALLOW_OWNER_PLANS is false. */
export const OPERATOR_SETS_LIMIT = "Only the operator of this deployment can change the monthly limit.";

/**
 * Gives the workspace a monthly limit of its own, or with null its plan's again. It holds from the next message on.
 * Does not check that `by` is an owner: the caller must. Throws FORBIDDEN where the operator keeps the limits.
 */
export async function changeLimit(workspaceId: WorkspaceId, messageLimit: number | null, by: Author): Promise<void> {
  if (!env().ALLOW_OWNER_PLANS) {
    throw new AppError("FORBIDDEN", OPERATOR_SETS_LIMIT, { details: { retryable: false } });
  }
  await onDatabase((db) =>
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
        by,
        action: "workspace.limitChanged",
        targetId: workspaceId,
        ...change,
      });
    }),
  );
}
