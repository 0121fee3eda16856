import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { Deadline } from "@/lib/core/deadline";
import { errorFields, log } from "@/lib/core/log";
import { hashSecret } from "./key-pair";

/**
 * Rehashes a just verified secret under the current pepper, so that the previous pepper can be removed
 * once every key has been used. Guarded by the verified hash, so it never undoes a rotation in between.
 */
export async function rehashSecret(
  { workspaceId, id }: { workspaceId: string; id: string },
  {
    secret,
    provenHash,
    pepper,
    deadline,
  }: { secret: string; provenHash: Uint8Array; pepper: string; deadline: Deadline },
): Promise<void> {
  const isThisKey = and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, id));
  const hash = hashSecret(secret, pepper);
  try {
    await onDatabase(
      async (db) => {
        await db
          .update(apiKeys)
          .set({ secretHash: hash })
          .where(and(isThisKey, eq(apiKeys.secretHash, provenHash)));
        await db
          .update(apiKeys)
          .set({ previousSecretHash: hash })
          .where(and(isThisKey, eq(apiKeys.previousSecretHash, provenHash)));
      },
      { deadline },
    );
  } catch (error) {
    // The next use retries this; the request itself is authenticated and goes on.
    log("warn", "api-key.not-rehashed", { apiKeyId: id, ...errorFields(error) });
  }
}
