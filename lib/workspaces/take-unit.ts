import { DatabaseUnavailable, databaseRefusal, onDatabase } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { processWide } from "@/lib/core/process-wide";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { planLimitReached } from "./plan-limit";
import { getUnits, type Units } from "./plan-queries";
import { thisMonth } from "./this-month";
import { anySlot, SHARES, type Slot, unitsPerShare } from "./unit-shares";

type Planned = { workspaceId: WorkspaceId; monthlyLimit: number | null };

/** Each further one means that others have taken or given back units since the last one. */
const MOST_ATTEMPTS = 10;

/** So many others of the workspace may wait for each other at the row of the month; who comes then takes from a share. */
const CROWD = 3;

/**
 * Runs a claim whose statement takes a unit of the month from the share `slot`, or from the row of the month where that is
 * null, and fails as a whole where there is none. Throws PLAN_LIMIT_EXCEEDED where none is left anywhere.
 */
export async function withUnit<T>(planned: Planned, claim: (slot: Slot) => Promise<T>): Promise<T> {
  const underWay = processWide("claims-under-way", () => new Map<WorkspaceId, number>());
  const others = underWay.get(planned.workspaceId) ?? 0;
  underWay.set(planned.workspaceId, others + 1);
  try {
    return await claimWithUnit(planned, { claim, first: others < CROWD ? null : anySlot(planned.monthlyLimit) });
  } finally {
    const left = (underWay.get(planned.workspaceId) ?? 1) - 1;
    if (left > 0) underWay.set(planned.workspaceId, left);
    else underWay.delete(planned.workspaceId);
  }
}

const claimWithUnit = async <T>(
  planned: Planned,
  { claim, first }: { claim: (slot: Slot) => Promise<T>; first: Slot },
): Promise<T> => {
  let slot = first;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    try {
      return await claim(slot);
    } catch (error) {
      if (!NO_UNIT.has(databaseRefusal(error)?.constraint ?? "")) throw error;
    }
    slot = (await dealTogether(planned)) > 0 ? anySlot(planned.monthlyLimit) : null;
  }
  throw new DatabaseUnavailable("units were taken faster than they could be found", { isUndone: true });
};

const NO_UNIT = new Set(["usage_within_limit", "usage_shares_left"]);

/** Deals once for all claims that find no unit at the same moment, as those of a month's first burst do. */
const dealTogether = async (planned: Planned): Promise<number> => {
  const { workspaceId, monthlyLimit } = planned;
  const underWay = processWide("unit-deals", () => new Map<string, Promise<number | Units>>());
  const name = `${workspaceId} ${monthlyLimit}`;
  const deal = underWay.get(name) ?? dealUnits(planned).finally(() => underWay.delete(name));
  underWay.set(name, deal);
  const dealt = await deal;
  if (typeof dealt === "number") return dealt;
  throw planLimitReached({ limit: monthlyLimit ?? dealt.used, ...dealt });
};

/**
 * Deals out what is left of the month, in shares of the same size; near the limit nothing, and all goes back to the row
 * of the month. No unit is counted twice or lost, since who takes one waits for these locks. Returns the units of a
 * share, or with what is used where that is all.
 */
const dealUnits = async ({ workspaceId, monthlyLimit }: Planned): Promise<number | Units> => {
  // Without a lock, as a workspace at its limit may ask again and again.
  const before = await getUnits(workspaceId);
  if (monthlyLimit !== null && before.used >= monthlyLimit) return before;
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const sql = rawSql(tx);
      const ofMonth = sql`workspace_id = ${workspaceId} and month = ${thisMonth(sql)}`;
      await sql`
        insert into usage (workspace_id, month, used, message_limit)
        values (${workspaceId}, ${thisMonth(sql)}, 0, ${monthlyLimit}::int)
        on conflict (workspace_id, month) do nothing`;
      const [month] = await sql<{ used: number }[]>`select used from usage where ${ofMonth} for no key update`;
      const shares = await sql<{ units_left: number }[]>`
        select units_left from usage_shares where ${ofMonth} order by slot for no key update`;
      const taken = (month?.used ?? 0) - shares.reduce((sum, { units_left }) => sum + units_left, 0);
      const units = unitsPerShare((monthlyLimit ?? Number.POSITIVE_INFINITY) - taken);
      // Where more is taken already than a lowered limit allows, the check would refuse this, too.
      const limit = monthlyLimit === null ? null : Math.max(monthlyLimit, taken);
      await sql`update usage set used = ${taken + units * SHARES}, message_limit = ${limit}::int where ${ofMonth}`;
      await sql`
        insert into usage_shares (workspace_id, month, slot, units_left, message_limit)
        select workspace_id, month, slot, ${units}::int, ${monthlyLimit}::int
        from usage cross join generate_series(0, ${SHARES - 1}::int) as slot where ${ofMonth}
        on conflict (workspace_id, month, slot) do update set
          units_left = excluded.units_left, message_limit = excluded.message_limit`;
      return units;
    }),
  );
};
