import { and, asc, desc, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { Mode } from "@/db/schema/identity";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { quote } from "@/lib/core/text";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** The columns that may be shown. Hashes leave the database only for authentication. */
export const KEY_COLUMNS = {
  id: apiKeys.id,
  ref: apiKeys.ref,
  trialOf: apiKeys.trialOf,
  label: apiKeys.label,
  mode: apiKeys.mode,
  apiKey: apiKeys.apiKey,
  lastUsedAt: apiKeys.lastUsedAt,
  previousSecretEndsAt: apiKeys.previousSecretEndsAt,
  secretMadeAt: apiKeys.secretMadeAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  createdAt: apiKeys.createdAt,
};

/** Every key of a workspace, revoked ones too, oldest first. */
export function listKeys(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(KEY_COLUMNS)
      .from(apiKeys)
      .where(rowsOf(apiKeys, workspaceId))
      .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),
  );
}

/** Returns a key by its public half, including revoked and expired keys. */
export async function findKey(tx: Transaction, workspaceId: WorkspaceId, apiKey: string) {
  const [key] = await tx
    .select(KEY_COLUMNS)
    .from(apiKeys)
    .where(rowsOf(apiKeys, workspaceId, { apiKey }));
  return key;
}

/** Returns the public half of the newest usable key, for sample calls. Not a trial key: no one has its secret. */
export async function findUsableKey(workspaceId: WorkspaceId, mode: Mode): Promise<string | undefined> {
  const [key] = await onDatabase((db) =>
    db
      .select({ apiKey: apiKeys.apiKey })
      .from(apiKeys)
      .where(and(rowsOf(apiKeys, workspaceId, { mode, trialOf: null }), isUsable))
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(1),
  );
  return key?.apiKey;
}

/** The SQL condition that a key is usable. */
export const USABLE = "(revoked_at is null and (expires_at is null or expires_at > now()))";

export const isUsable = sql<boolean>`${sql.raw(USABLE)}`;

export function noSuchKey(apiKey: string) {
  return new AppError(
    "NOT_FOUND",
    `No active API key ${quote(apiKey)} in this workspace. Give its public half, pk_….`,
    { details: { retryable: false } },
  );
}
