import { and, inArray } from "drizzle-orm";
import { apiKeys, phoneNumbers } from "@/db/schema";
import { addKey } from "@/lib/api-keys/change-key";
import { writeLimits } from "@/lib/api-keys/change-limits";
import { toKeyLimits } from "@/lib/api-keys/limit-fields";
import { type KeyLimits, PERMISSIONS } from "@/lib/core/principal";
import { changeOf } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedApiKey } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

/** By ref. A secret is returned once, when its key is created; later runs return null. */
export type ProvisionedKeys = Record<string, { apiKey: string; apiSecret: string | null }>;

/** Creates the keys and returns them by ref. A revoked key stays revoked: a new one needs a new ref. */
export async function provisionApiKeys(
  run: Provisioning,
  wanted: readonly ProvisionedApiKey[],
  place: string,
): Promise<ProvisionedKeys> {
  const { tx, workspaceId, faults, record } = run;
  const pairs: [ref: string, pair: ProvisionedKeys[string]][] = [];
  for (const [index, key] of wanted.entries()) {
    const { ref, label, mode, expiresAt } = key;
    const isThisKey = rowsOf(apiKeys, workspaceId, { ref });
    const [stored] = await tx.select().from(apiKeys).where(isThisKey);
    const faultsBefore = faults.length;
    const limits = await limitsOf(run, key, `${place}[${index}]`);
    if (expiresAt && expiresAt <= new Date() && expiresAt.getTime() !== stored?.expiresAt?.getTime()) {
      faults.push(`${place}[${index}].expiresAt is in the past.`);
    }
    if (faults.length > faultsBefore) continue;
    if (!stored) {
      const made = { ref, label: label ?? ref, mode, limits: limits ?? {}, expiresAt: expiresAt ?? null };
      const { apiKey, apiSecret } = await addKey(tx, workspaceId, made, PROVISIONER);
      pairs.push([ref, { apiKey, apiSecret }]);
    } else if (stored.mode === mode) {
      const change = changeOf(stored, { label });
      if (change) await tx.update(apiKeys).set({ label }).where(isThisKey);
      await record("apiKey.changed", stored.id, change);
      const after = {
        limits: limits === undefined ? (stored.limits ?? {}) : (limits ?? {}),
        expiresAt: expiresAt === undefined ? stored.expiresAt : expiresAt,
      };
      if (!stored.revokedAt) await writeLimits(tx, workspaceId, { ...stored, after, record });
      pairs.push([ref, { apiKey: stored.apiKey, apiSecret: null }]);
    } else {
      faults.push(
        `${place}[${index}] asks for mode ${mode}, but the key "${ref}" is a ${stored.mode} key and stays one.`,
      );
    }
  }
  return Object.fromEntries(pairs);
}

/** Undefined: as they are; null: none. A line that the workspace does not have in the key's mode is a fault. */
async function limitsOf(
  { tx, workspaceId, faults }: Provisioning,
  { mode, limits }: ProvisionedApiKey,
  place: string,
): Promise<KeyLimits | null | undefined> {
  if (!limits) return limits;
  const {
    phoneNumbers: refs = [],
    templates = [],
    permissions = PERMISSIONS,
    ipRanges = [],
    monthlyCap = null,
  } = limits;
  const lines = await tx
    .select({ id: phoneNumbers.id, ref: phoneNumbers.ref })
    .from(phoneNumbers)
    .where(and(rowsOf(phoneNumbers, workspaceId, { mode }), inArray(phoneNumbers.ref, refs)));
  const unknown = refs.filter((ref) => !lines.some((line) => line.ref === ref));
  for (const ref of unknown) faults.push(`${place}.limits.phoneNumbers has "${ref}", which is no ${mode} line.`);
  return toKeyLimits({
    permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
    phoneNumberIds: lines.map(({ id }) => id).toSorted(),
    templateNames: [...new Set(templates)].toSorted(),
    ipRanges,
    monthlyCap,
  });
}
