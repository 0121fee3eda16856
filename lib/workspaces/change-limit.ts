import { eq } from "drizzle-orm";
import { type Db, onDatabase, type Transaction } from "@/db/client";
import { workspaces } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { monthlyLimit, type Plan } from "@/lib/core/plans";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";
import { changeOf } from "./change";
import { countMonth, isFirstLimit, startCounting } from "./count-month";
import { recordAudit } from "./record-audit";

/** What owners read where ALLOW_OWNER_PLANS is false. */
export const OPERATOR_SETS_LIMIT = "Only the operator of this deployment can change the monthly limit.";

/** A first limit counts the month's messages. */
const WITH_TIME_TO_COUNT = { pool: "records", timeoutMs: 25_000 } as const;

/**
 * Gives the workspace a monthly limit of its own, or with null its plan's again. It holds from the next message on.
 * Does not check that `by` is an owner: the caller must. Throws FORBIDDEN where the operator keeps the limits.
 */
export async function changeLimit(workspaceId: WorkspaceId, messageLimit: number | null, by: Author): Promise<void> {
  if (!env().ALLOW_OWNER_PLANS) {
    throw new AppError("FORBIDDEN", OPERATOR_SETS_LIMIT, { details: { retryable: false } });
  }
  const isThis = eq(workspaces.id, workspaceId);
  const read = (db: Pick<Db, "select">) =>
    db.select({ plan: workspaces.plan, messageLimit: workspaces.messageLimit }).from(workspaces).where(isThis);
  const limitsFrom = (before: { plan: Plan; messageLimit: number | null }) => ({
    from: monthlyLimit(before.plan, before.messageLimit),
    to: monthlyLimit(before.plan, messageLimit),
  });
  const [found] = await onDatabase(read);
  const isFirst = found !== undefined && isFirstLimit(limitsFrom(found));
  await startCounting((work) => onDatabase((db) => db.transaction(work)), isFirst ? [workspaceId] : []);
  const change = async (tx: Transaction) => {
    const [before] = await read(tx).for("no key update");
    const changed = changeOf(before && { messageLimit: before.messageLimit }, { messageLimit });
    if (!before || !changed) return;
    await tx.update(workspaces).set({ messageLimit }).where(isThis);
    await countMonth(tx, workspaceId, limitsFrom(before));
    await recordAudit(tx, workspaceId, { by, action: "workspace.limitChanged", targetId: workspaceId, ...changed });
  };
  await onDatabase((db) => db.transaction(change), WITH_TIME_TO_COUNT);
}
