import type { PendingQuery, Row, Sql } from "postgres";
import { DatabaseUnavailable, databaseRefusal } from "@/db/client";
import type { Principal } from "@/lib/core/principal";
import { getKeyUnits, getUnits } from "./plan-queries";
import { keyCapReached, planLimitReached } from "./quota";

/** Who takes a unit: a workspace with its monthly limit, and its key with a cap of its own. */
type Counted = Pick<Principal, "workspaceId" | "apiKeyId" | "mode" | "monthlyLimit" | "limits">;

/** A retry is needed only if other requests took or returned units since the last attempt. */
const MAX_ATTEMPTS = 10;

/**
 * Runs a claim whose statement takes one message of the monthly quota and one of the key's cap, or fails if none is left.
 * Throws PLAN_LIMIT_EXCEEDED then.
 */
export async function withQuota<T>(counted: Counted, claim: () => Promise<T>): Promise<T> {
  const { workspaceId, monthlyLimit } = counted;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      return await claim();
    } catch (error) {
      const constraint = databaseRefusal(error)?.constraint;
      if (constraint === "key_usage_within_cap") {
        await refuseUsedUpKey(counted);
        continue;
      }
      if (monthlyLimit === null || constraint !== "usage_within_limit") throw error;
    }
    const units = await getUnits(workspaceId, monthlyLimit);
    if (units.used >= monthlyLimit) throw planLimitReached({ limit: monthlyLimit, ...units });
  }
  throw new DatabaseUnavailable("units were taken faster than they could be found", { hadNoEffect: true });
}

async function refuseUsedUpKey({ workspaceId, apiKeyId, limits: { monthlyCap } }: Counted): Promise<void> {
  if (apiKeyId === null || monthlyCap === undefined) throw new Error("only a key with a cap is counted");
  const units = await getKeyUnits(workspaceId, apiKeyId);
  if (units.used >= monthlyCap) throw keyCapReached({ limit: monthlyCap, ...units });
}

type Part = PendingQuery<Row[]>;

/** Parts with the column `month`, and a row only where a message is counted: in the month's quota, and for the key's cap. */
type Months = { month: Part; keyMonth: Part };

/** The parts of a claim, each after a comma, that count its message: in the month's quota, and for the key's cap if it has one. */
export function unitsOf(sql: Sql, counted: Counted, { month, keyMonth }: Months): Part {
  const isLive = counted.mode === "live";
  const hasCap = counted.limits.monthlyCap !== undefined;
  // A part that is read runs first: workspaces are locked before keys everywhere, to prevent deadlocks.
  const unit = isLive ? sql`, ${unitOfMonth(sql, counted, month)} ${hasCap ? sql`returning u.used` : sql``})` : sql``;
  if (!hasCap) return unit;
  const after = isLive ? sql`where (select count(*) from unit) >= 0` : sql``;
  return sql`${unit}, ${unitOfKey(sql, counted, sql`${keyMonth} as counted ${after}`)}`;
}

/** Without a limit, a row exists only while one is being set (lib/limits/count-month.ts). */
function unitOfMonth(sql: Sql, { workspaceId, monthlyLimit }: Counted, month: Part): Part {
  return monthlyLimit === null
    ? sql`
      unit as (
        update usage u set used = u.used + 1, message_limit = greatest(u.message_limit, u.used + 1) from ${month} as counted
        where u.workspace_id = ${workspaceId} and u.month = counted.month and u.message_limit is not null`
    : sql`
      unit as (
        insert into usage as u (workspace_id, month, used, message_limit)
        select ${workspaceId}, counted.month, 1, ${monthlyLimit}::int from ${month} as counted
        on conflict (workspace_id, month) do update set used = u.used + 1, message_limit = excluded.message_limit`;
}

function unitOfKey(sql: Sql, { workspaceId, apiKeyId, limits }: Counted, counted: Part): Part {
  return sql`
      key_unit as (
        insert into key_usage as u (workspace_id, api_key_id, month, used, cap)
        select ${workspaceId}, ${apiKeyId}, counted.month, 1, ${limits.monthlyCap ?? null}::int from ${counted}
        on conflict (workspace_id, api_key_id, month) do update set used = u.used + 1, cap = excluded.cap
      )`;
}

/**
 * The parts, each after a comma, of a webhook's statement that take the units of refused messages again, which WhatsApp reports
 * as sent, also beyond a limit. They read its part `current`.
 */
export function unitsAgain(sql: Sql): Part {
  return sql`
      , unit as (
        insert into usage as u (workspace_id, month, used)
        select workspace_id, unit_month, count(*) from current where unit_month is not null
        group by workspace_id, unit_month order by workspace_id, unit_month
        on conflict (workspace_id, month) do update set used = u.used + excluded.used,
          message_limit = case when u.message_limit is not null
            then greatest(u.message_limit, u.used + excluded.used) end
        returning u.used
      ), capped as (
        ${keyUnitsOf(sql, { of: "current", after: "unit" })}
      ), key_unit as (
        update key_usage u set used = u.used + capped.units, cap = greatest(u.cap, u.used + capped.units) from capped
        where u.workspace_id = capped.workspace_id and u.api_key_id = capped.api_key_id and u.month = capped.month
      )`;
}

/**
 * Locks the counts of the keys of the messages in the part `of`, with the units of each. Reads the part `after` to run after it, and
 * locks in one order, as claims take their units.
 */
export function keyUnitsOf(sql: Sql, { of, after }: { of: string; after: string }): Part {
  return sql`
        select u.workspace_id, u.api_key_id, u.month, (
            select count(*)::int from ${sql(of)} m
            where m.workspace_id = u.workspace_id and m.api_key_id = u.api_key_id and m.key_unit_month = u.month
          ) as units
        from key_usage u
        where (workspace_id, api_key_id, month) in (select workspace_id, api_key_id, key_unit_month from ${sql(of)})
          and (select count(*) from ${sql(after)}) >= 0
        order by workspace_id, api_key_id, month for no key update`;
}

/** What `key_unit_month` becomes with them: only keys with a cap are counted. */
export function keyUnitAgain(sql: Sql): Part {
  return sql`coalesce(m.key_unit_month, (
            select capped.month from capped
            where capped.workspace_id = m.workspace_id and capped.api_key_id = m.api_key_id
              and capped.month = current.key_unit_month))`;
}
