import { DatabaseUnavailable, databaseRefusal, inTransaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import { getUnits } from "./plan-queries";
import { planLimitReached, thisMonth } from "./quota";

type Planned = { workspaceId: WorkspaceId; monthlyLimit: number | null };

/** A retry is needed only if other requests took or returned units since the last attempt. */
const MAX_ATTEMPTS = 10;

/**
 * Runs a claim whose statement takes one message of the monthly quota, or fails if none is left. Throws
 * PLAN_LIMIT_EXCEEDED then.
 */
export async function withQuota<T>({ workspaceId, monthlyLimit }: Planned, claim: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      return await claim();
    } catch (error) {
      if (monthlyLimit === null || databaseRefusal(error)?.constraint !== "usage_within_limit") throw error;
    }
    const units = await getUnits(workspaceId, monthlyLimit);
    if (units.used >= monthlyLimit) throw planLimitReached({ limit: monthlyLimit, ...units });
    await takeBackShares(workspaceId);
  }
  throw new DatabaseUnavailable("units were taken faster than they could be found", { hadNoEffect: true });
}

/** Reclaims quota that the previous release reserved while both run; removed with the table in the next release. */
async function takeBackShares(workspaceId: WorkspaceId): Promise<void> {
  await inTransaction(async (tx) => {
    const sql = rawSql(tx);
    const ofMonth = sql`workspace_id = ${workspaceId} and month = ${thisMonth(sql)}`;
    await sql`select from usage where ${ofMonth} for no key update`;
    await sql`
        with taken_back as (delete from usage_shares where ${ofMonth} returning units_left)
        update usage set used = used - (select coalesce(sum(units_left), 0) from taken_back) where ${ofMonth}`;
  });
}
