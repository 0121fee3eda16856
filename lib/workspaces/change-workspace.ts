import { eq } from "drizzle-orm";
import { type Db, inTransaction, onDatabase } from "@/db/client";
import { type Workspace, workspaces } from "@/db/schema";
import { forbidden } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { monthlyLimit, type Plan, type WorkspaceId } from "@/lib/core/principal";
import { countMonth, isFirstLimit, startCounting } from "@/lib/limits/count-month";
import { WITH_TIME_TO_COUNT } from "@/lib/limits/quota";
import { type Author, audited, changeOf } from "./record-audit";

/** Changes some settings. `retentionDays` null: the deployment's default. Does not check permissions: the caller must. */
export function changeWorkspace(workspaceId: WorkspaceId, settings: WorkspaceSettings, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = eq(workspaces.id, workspaceId);
    const [before] = await tx.select().from(workspaces).where(isThis).for("no key update");
    const change = changeOf(before, settings);
    if (!change) return;
    await tx.update(workspaces).set(settings).where(isThis);
    await record("workspace.changed", workspaceId, change);
  });
}

type WorkspaceSettings = Partial<
  Pick<
    Workspace,
    "name" | "timeZone" | "retentionDays" | "stopWords" | "startWords" | "refuseOptedOut" | "requiresSecondFactor"
  >
>;

/** Shown to owners if ALLOW_OWNER_PLANS is false. */
export const OPERATOR_SETS_LIMIT = "Only the operator of this deployment can change the monthly limit.";

/**
 * Sets the workspace's own monthly limit, or with null resets it to its plan's. Applies from the next message on.
 * Does not check that `by` is an owner: the caller must. Throws FORBIDDEN if only the operator sets limits.
 */
export async function changeLimit(workspaceId: WorkspaceId, messageLimit: number | null, by: Author): Promise<void> {
  if (!env().ALLOW_OWNER_PLANS) throw forbidden(OPERATOR_SETS_LIMIT);
  const isThis = eq(workspaces.id, workspaceId);
  const read = (db: Pick<Db, "select">) =>
    db.select({ plan: workspaces.plan, messageLimit: workspaces.messageLimit }).from(workspaces).where(isThis);
  const limitsFrom = (before: { plan: Plan; messageLimit: number | null }) => ({
    from: monthlyLimit(before.plan, before.messageLimit),
    to: monthlyLimit(before.plan, messageLimit),
  });
  const [found] = await onDatabase(read);
  const isFirst = found !== undefined && isFirstLimit(limitsFrom(found));
  await startCounting((work) => inTransaction(work), isFirst ? [workspaceId] : []);
  await audited(
    workspaceId,
    by,
    async (tx, record) => {
      const [before] = await read(tx).for("no key update");
      const changed = changeOf(before && { messageLimit: before.messageLimit }, { messageLimit });
      if (!before || !changed) return;
      await tx.update(workspaces).set({ messageLimit }).where(isThis);
      await countMonth(tx, workspaceId, limitsFrom(before));
      await record("workspace.limitChanged", workspaceId, changed);
    },
    WITH_TIME_TO_COUNT,
  );
}
