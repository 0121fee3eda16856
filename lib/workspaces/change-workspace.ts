import { eq } from "drizzle-orm";
import { type Db, inTransaction, onDatabase, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { type Workspace, workspaces } from "@/db/schema";
import { forbidden, invalidAt } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { monthlyLimit, type Plan } from "@/lib/core/plans";
import type { WorkspaceId } from "@/lib/core/principal";
import { countMonth, isFirstLimit, startCounting, WITH_TIME_TO_COUNT } from "./count-month";
import { type Author, audited, changeOf } from "./record-audit";

/**
 * Changes some settings. `retentionDays` null: the deployment's default. Does not check permissions: the caller must.
 * Throws VALIDATION_ERROR for a time zone that the database does not know.
 */
export function changeWorkspace(workspaceId: WorkspaceId, settings: WorkspaceSettings, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const isThis = eq(workspaces.id, workspaceId);
    const [before] = await tx.select().from(workspaces).where(isThis).for("no key update");
    const change = changeOf(before, settings);
    if (!change) return;
    const { timeZone } = settings;
    if (timeZone !== undefined && (await findUnknownZones(tx, [timeZone])).size > 0)
      throw invalidAt("timeZone", `The database does not know ${timeZone}. Choose another time zone.`);
    await tx.update(workspaces).set(settings).where(isThis);
    await record("workspace.changed", workspaceId, change);
  });
}

/** Returns those that the database does not have: it counts every workspace's messages at once, and fails at an unknown one. */
export async function findUnknownZones(tx: Transaction, timeZones: readonly string[]): Promise<Set<string>> {
  const rows = await rawSql(tx)<{ zone: string }[]>`
    select zone from json_array_elements_text(${JSON.stringify(timeZones)}::text::json) as zone
    where lower(zone) not in (select lower(name) from pg_timezone_names)`;
  return new Set(rows.map(({ zone }) => zone));
}

type WorkspaceSettings = Partial<
  Pick<Workspace, "name" | "timeZone" | "retentionDays" | "stopWords" | "startWords" | "refuseOptedOut">
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
