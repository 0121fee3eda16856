import { and, eq } from "drizzle-orm";
import { type ApiKey, apiKeys } from "@/db/schema";
import { addKey } from "@/lib/api-keys/create-key";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { ProvisionedApiKey } from "./document";
import { PROVISIONER, type Provisioning } from "./provisioning";

/** A secret is returned once, when its key is created; later runs return null. */
export type ProvisionedKeyPair = { apiKey: string; apiSecret: string | null };

/** Returns the keys by ref. A revoked key stays revoked: a new one needs a new ref. */
export async function provisionApiKeys(
  run: Provisioning,
  workspaceId: WorkspaceId,
  { apiKeys: wanted, place }: { apiKeys: readonly ProvisionedApiKey[]; place: string },
): Promise<Record<string, ProvisionedKeyPair>> {
  const pairs: [string, ProvisionedKeyPair][] = [];
  for (const [index, key] of wanted.entries()) {
    const isThisKey = and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.ref, key.ref));
    const [stored] = await run.tx.select().from(apiKeys).where(isThisKey);
    if (stored && stored.mode !== key.mode) {
      run.faults.push(
        `${place}[${index}] asks for mode ${key.mode}, but the key "${key.ref}" is a ${stored.mode} key and stays one.`,
      );
      continue;
    }
    pairs.push([key.ref, stored ? await updateKey(run, stored, key) : await createKey(run, workspaceId, key)]);
  }
  return Object.fromEntries(pairs);
}

const updateKey = async (
  { tx }: Provisioning,
  stored: ApiKey,
  { label }: ProvisionedApiKey,
): Promise<ProvisionedKeyPair> => {
  const change = changeOf(stored, { label });
  if (change) {
    const workspaceId = provenWorkspaceId(stored.workspaceId);
    await tx
      .update(apiKeys)
      .set({ label })
      .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, stored.id)));
    await recordAudit(tx, workspaceId, {
      by: PROVISIONER,
      action: "apiKey.changed",
      targetId: stored.id,
      ...change,
    });
  }
  return { apiKey: stored.apiKey, apiSecret: null };
};

const createKey = async (
  { tx, keyPepper }: Provisioning,
  workspaceId: WorkspaceId,
  { ref, label, mode }: ProvisionedApiKey,
): Promise<ProvisionedKeyPair> => {
  const key = { ref, label: label ?? ref, mode };
  const { apiKey, apiSecret } = await addKey(tx, workspaceId, { key, by: PROVISIONER, pepper: keyPepper });
  return { apiKey, apiSecret };
};
