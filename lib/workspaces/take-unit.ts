import { DatabaseUnavailable, databaseRefusal, onDatabase } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { planLimitReached } from "./plan-limit";
import { getUnits } from "./plan-queries";
import { thisMonth } from "./this-month";

type Planned = { workspaceId: WorkspaceId; monthlyLimit: number | null };

/** Each further one means that others have taken or given back units since the last one. */
const MOST_ATTEMPTS = 10;

/**
 * Runs a claim whose statement takes a unit of the month, and fails as a whole where there is none. Throws
 * PLAN_LIMIT_EXCEEDED where none is left.
 */
export async function withUnit<T>({ workspaceId, monthlyLimit }: Planned, claim: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    try {
      return await claim();
    } catch (error) {
      if (monthlyLimit === null || databaseRefusal(error)?.constraint !== "usage_within_limit") throw error;
    }
    const units = await getUnits(workspaceId, monthlyLimit);
    if (units.used >= monthlyLimit) throw planLimitReached({ limit: monthlyLimit, ...units });
    await takeBackShares(workspaceId);
  }
  throw new DatabaseUnavailable("units were taken faster than they could be found", { isUndone: true });
}

/** Units that the former release dealt out while both run; goes in the next release, with the table. */
async function takeBackShares(workspaceId: WorkspaceId): Promise<void> {
  await onDatabase((db) =>
    db.transaction(async (tx) => {
      const sql = rawSql(tx);
      const ofMonth = sql`workspace_id = ${workspaceId} and month = ${thisMonth(sql)}`;
      await sql`select from usage where ${ofMonth} for no key update`;
      await sql`
        with taken_back as (delete from usage_shares where ${ofMonth} returning units_left)
        update usage set used = used - (select coalesce(sum(units_left), 0) from taken_back) where ${ofMonth}`;
    }),
  );
}
