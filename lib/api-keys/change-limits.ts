import { and, inArray, sql } from "drizzle-orm";
import { DatabaseUnavailable, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { apiKeys, phoneNumbers } from "@/db/schema";
import { invalidAt } from "@/lib/core/app-error";
import type { KeyLimits, Mode, WorkspaceId } from "@/lib/core/principal";
import { quote } from "@/lib/core/text";
import { thisMonth, WITH_TIME_TO_COUNT } from "@/lib/limits/quota";
import { type Author, audited, changeOf, type Recorder } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { noSuchKey } from "./queries";

type LimitedKey = { apiKey: string; limits: KeyLimits; expiresAt: (stored: Date | null) => Date | null };

/**
 * Sets the limits and the expiry of a key, also of an expired one, in place of those before. They apply from the next call
 * on. Does not check permissions: the caller must. Throws NOT_FOUND, or VALIDATION_ERROR for lines of another mode.
 */
export function changeLimits(
  workspaceId: WorkspaceId,
  { apiKey, limits, expiresAt }: LimitedKey,
  by: Author,
): Promise<void> {
  return audited(
    workspaceId,
    by,
    async (tx, record) => {
      const key = await findLimitable(tx, workspaceId, apiKey);
      await writeLimits(tx, workspaceId, { ...key, after: { limits, expiresAt: expiresAt(key.expiresAt) }, record });
    },
    WITH_TIME_TO_COUNT,
  );
}

/** A revoked key stays as it is, and a trial key has the limits of its member. */
async function findLimitable(tx: Transaction, workspaceId: WorkspaceId, apiKey: string) {
  const [key] = await tx
    .select({ id: apiKeys.id, mode: apiKeys.mode, limits: apiKeys.limits, expiresAt: apiKeys.expiresAt })
    .from(apiKeys)
    .where(rowsOf(apiKeys, workspaceId, { apiKey, trialOf: null, revokedAt: null }));
  if (!key) throw noSuchKey(apiKey);
  return key;
}

type Change = {
  id: string;
  mode: Mode;
  limits: KeyLimits | null;
  expiresAt: Date | null;
  after: { limits: KeyLimits; expiresAt: Date | null };
  record: Recorder;
};

/**
 * Changes the limits of a key that the caller has read, in its transaction. The key is not locked while its messages are counted,
 * because its calls note their use in it: a change that came between is found by what is stored.
 */
export async function writeLimits(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { id, mode, limits: stored, expiresAt, after, record }: Change,
): Promise<void> {
  const change = changeOf(inAudit(stored, expiresAt), inAudit(after.limits, after.expiresAt));
  if (!change) return;
  if (after.expiresAt && after.expiresAt.getTime() !== expiresAt?.getTime()) assertInFuture(after.expiresAt);
  await assertOwnLines(tx, workspaceId, { mode, limits: after.limits });
  const { monthlyCap } = after.limits;
  if (monthlyCap !== undefined && stored?.monthlyCap === undefined) await countMonth(tx, workspaceId, id, monthlyCap);
  const isStored = sql`${apiKeys.limits} is not distinct from ${stored && JSON.stringify(stored)}::text::jsonb`;
  const [changed] = await tx
    .update(apiKeys)
    .set({ limits: orNull(after.limits), expiresAt: after.expiresAt })
    .where(and(rowsOf(apiKeys, workspaceId, { id, expiresAt, revokedAt: null }), isStored))
    .returning({ id: apiKeys.id });
  if (!changed) throw new DatabaseUnavailable("another change of the key came between", { hadNoEffect: true });
  await record("apiKey.limitsChanged", id, change);
}

/** Limits as they are stored. */
export function orNull(limits: KeyLimits | undefined): KeyLimits | null {
  return limits && Object.keys(limits).length > 0 ? limits : null;
}

const NO_LIMITS = { permissions: null, phoneNumberIds: null, templateNames: null, ipRanges: null, monthlyCap: null };

/** Every limit, for the audit log; null where there is none. */
const inAudit = (limits: KeyLimits | null, expiresAt: Date | null) => ({ ...NO_LIMITS, ...limits, expiresAt });

export function assertInFuture(expiresAt: Date): void {
  if (expiresAt > new Date()) return;
  throw invalidAt("expiresAt", "The key would have expired already. Give a later time.");
}

/** Throws VALIDATION_ERROR unless all lines are or were of the workspace and mode. */
export async function assertOwnLines(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { mode, limits: { phoneNumberIds = [] } }: { mode: Mode; limits: KeyLimits },
): Promise<void> {
  if (phoneNumberIds.length === 0) return;
  const found = await tx
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(and(rowsOf(phoneNumbers, workspaceId, { mode }), inArray(phoneNumbers.id, phoneNumberIds)));
  const unknown = phoneNumberIds.find((id) => !found.some((line) => line.id === id));
  if (unknown) throw invalidAt("phoneNumberIds", `${quote(unknown)} is not a ${mode} line of this workspace.`);
}

/** Counts the month's messages of a key that gets its first cap. A send that was admitted without it is not counted. */
async function countMonth(tx: Transaction, workspaceId: WorkspaceId, apiKeyId: string, cap: number): Promise<void> {
  const run = rawSql(tx);
  const month = thisMonth(run);
  const isThis = run`workspace_id = ${workspaceId} and api_key_id = ${apiKeyId} and month = ${month}`;
  await run`set local statement_timeout = '20s'`;
  await run`
    insert into key_usage (workspace_id, api_key_id, month, used, cap) values (${workspaceId}, ${apiKeyId}, ${month}, 0, ${cap})
    on conflict do nothing`;
  // Lock first: sends under a cap of earlier this month wait, and are not counted twice.
  await run`select from key_usage where ${isThis} for no key update`;
  // A message of the previous month may have been retried in this one. Test messages have no unit of the quota.
  await run`
    update key_usage set used = held.units, cap = greatest(${cap}::int, held.units)
    from (
      select count(*)::int as units from messages
      where workspace_id = ${workspaceId} and api_key_id = ${apiKeyId} and created_at >= ${month} - interval '1 month'
        and case when mode = 'live' then unit_month = ${month}
          else created_at at time zone 'utc' >= ${month} and phase not in ('REFUSED', 'REFUSED_RETRYABLE') end
    ) held
    where ${isThis}`;
}
