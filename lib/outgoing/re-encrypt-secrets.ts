import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import { currentSeal, type EncryptionKeys } from "@/lib/core/crypto";
import { decryptSecret, encryptSecret } from "./signed-request";

/** Counts of endpoints; `unreadable` lists those whose secret no configured key decrypts, as `workspace/endpoint`. */
export type Resealed = { resealed: number; alreadyCurrent: number; unreadable: string[] };

/**
 * Re-encrypts every endpoint's secrets with the first of `keys`. Each is replaced only if unchanged since it was
 * read; a concurrent rotation already writes with the current key.
 */
export async function reEncryptSecrets(keys: EncryptionKeys): Promise<Resealed> {
  const endpoints = await onDatabase((db) =>
    db
      .select({
        workspaceId: webhookEndpoints.workspaceId,
        id: webhookEndpoints.id,
        secret: webhookEndpoints.secret,
        previousSecret: webhookEndpoints.previousSecret,
      })
      .from(webhookEndpoints)
      .where(isNull(webhookEndpoints.deletedAt)),
  );
  const done: Resealed = { resealed: 0, alreadyCurrent: 0, unreadable: [] };
  for (const endpoint of endpoints) {
    const outcome = await reseal(endpoint, keys);
    if (outcome === "unreadable") done.unreadable.push(`${endpoint.workspaceId}/${endpoint.id}`);
    else done[outcome] += 1;
  }
  return done;
}

type Sealed = { workspaceId: string; id: string; secret: string; previousSecret: string | null };

const reseal = async (
  endpoint: Sealed,
  keys: EncryptionKeys,
): Promise<"resealed" | "alreadyCurrent" | "unreadable"> => {
  const again = (sealed: string) => encryptSecret(decryptSecret(sealed, endpoint, keys), endpoint, keys);
  const stored = [endpoint.secret, endpoint.previousSecret].filter((sealed) => sealed !== null);
  if (stored.every((sealed) => sealed.startsWith(currentSeal(keys)))) return "alreadyCurrent";
  let replaced: Pick<Sealed, "secret" | "previousSecret">;
  try {
    replaced = {
      secret: again(endpoint.secret),
      previousSecret: endpoint.previousSecret === null ? null : again(endpoint.previousSecret),
    };
  } catch {
    return "unreadable";
  }
  await onDatabase((db) =>
    db
      .update(webhookEndpoints)
      .set(replaced)
      .where(
        and(
          eq(webhookEndpoints.workspaceId, endpoint.workspaceId),
          eq(webhookEndpoints.id, endpoint.id),
          eq(webhookEndpoints.secret, endpoint.secret),
          sql`${webhookEndpoints.previousSecret} is not distinct from ${endpoint.previousSecret}`,
        ),
      ),
  );
  return "resealed";
};
