import { apiKeys } from "@/db/schema";
import { addKey } from "@/lib/api-keys/change-key";
import { changeOf } from "@/lib/workspaces/change";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionedApiKey } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

/** A secret is returned once, when its key is created; later runs return null. */
export type ProvisionedKeyPair = { apiKey: string; apiSecret: string | null };

/** Creates the keys and returns them by ref. A revoked key stays revoked: a new one needs a new ref. */
export async function provisionApiKeys(
  { tx, workspaceId, faults, record }: Provisioning,
  wanted: readonly ProvisionedApiKey[],
  place: string,
): Promise<Record<string, ProvisionedKeyPair>> {
  const pairs: [string, ProvisionedKeyPair][] = [];
  for (const [index, { ref, label, mode }] of wanted.entries()) {
    const isThisKey = rowsOf(apiKeys, workspaceId, { ref });
    const [stored] = await tx.select().from(apiKeys).where(isThisKey);
    if (!stored) {
      const key = { ref, label: label ?? ref, mode };
      const { apiKey, apiSecret } = await addKey(tx, workspaceId, key, PROVISIONER);
      pairs.push([ref, { apiKey, apiSecret }]);
    } else if (stored.mode === mode) {
      const change = changeOf(stored, { label });
      if (change) await tx.update(apiKeys).set({ label }).where(isThisKey);
      await record("apiKey.changed", stored.id, change);
      pairs.push([ref, { apiKey: stored.apiKey, apiSecret: null }]);
    } else {
      faults.push(
        `${place}[${index}] asks for mode ${mode}, but the key "${ref}" is a ${stored.mode} key and stays one.`,
      );
    }
  }
  return Object.fromEntries(pairs);
}
