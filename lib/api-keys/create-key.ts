import { inTransaction, type Transaction } from "@/db/client";
import { apiKeys, type Mode } from "@/db/schema";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, userBehind } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { hashSecret, newKeyPair } from "./key-pair";

export type NewKey = { label: string; mode: Mode; ref?: string; expiresAt?: Date };

/** A secret is returned once, when it is created; only its hash is stored. */
export type CreatedKey = { id: string; apiKey: string; apiSecret: string };

/** Creates a key. Does not check permissions: the caller must. */
export function createKey(workspaceId: WorkspaceId, key: NewKey, by: Author): Promise<CreatedKey> {
  return inTransaction((tx) => addKey(tx, workspaceId, { key, by, pepper: env().KEY_PEPPER }));
}

/** The same within the caller's transaction. */
export async function addKey(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { key, by, pepper }: { key: NewKey; by: Author; pepper: string },
): Promise<CreatedKey> {
  const id = newId("key");
  const { apiKey, apiSecret } = newKeyPair(key.mode);
  const secretHash = hashSecret(apiSecret, pepper);
  await tx.insert(apiKeys).values({ ...key, workspaceId, id, apiKey, secretHash, createdBy: userBehind(by) });
  const change = changeOf(undefined, { ...key, apiKey });
  if (change) await recordAudit(tx, workspaceId, { by, action: "apiKey.created", targetId: id, ...change });
  return { id, apiKey, apiSecret };
}
