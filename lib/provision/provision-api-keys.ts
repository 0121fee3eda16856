import { and, eq } from "drizzle-orm";
import { apiKeys } from "@/db/schema";
import { hashSecret, newKeyPair } from "@/lib/api-keys/key-pair";
import { newId } from "@/lib/ids";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { ProvisionedApiKey } from "./document";
import type { Provisioning } from "./provisioning";

/** A secret can be told once, when its key is made; later runs say null. */
export type ProvisionedKeyPair = { apiKey: string; apiSecret: string | null };

/** Returns the keys by ref. A revoked key stays revoked: a new one needs a new ref. */
export const provisionApiKeys = async (
  run: Provisioning,
  workspaceId: WorkspaceId,
  { apiKeys: wanted, place }: { apiKeys: readonly ProvisionedApiKey[]; place: string },
): Promise<Record<string, ProvisionedKeyPair>> => {
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
    if (stored && key.label !== undefined) await run.tx.update(apiKeys).set({ label: key.label }).where(isThisKey);
    pairs.push([key.ref, stored ? { apiKey: stored.apiKey, apiSecret: null } : await createKey(run, workspaceId, key)]);
  }
  return Object.fromEntries(pairs);
};

const createKey = async (
  { tx, keyPepper }: Provisioning,
  workspaceId: WorkspaceId,
  { ref, label, mode }: ProvisionedApiKey,
): Promise<ProvisionedKeyPair> => {
  const { apiKey, apiSecret } = newKeyPair(mode);
  await tx.insert(apiKeys).values({
    workspaceId,
    id: newId("key"),
    ref,
    label: label ?? ref,
    mode,
    apiKey,
    secretHash: hashSecret(apiSecret, keyPepper),
  });
  return { apiKey, apiSecret };
};
