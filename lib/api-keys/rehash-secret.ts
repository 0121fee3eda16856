import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { Deadline } from "@/lib/core/deadline";
import { errorFields, log } from "@/lib/core/log";
import { hashSecret } from "./key-pair";

/**
 * Brings the hash of a secret that was just proven under the current pepper, so that the previous one can be given up
 * once every key was used. Guarded by the hash that was proven: a rotation in between is not undone.
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
    // The next use does it; the request itself was proven, and goes on.
    log("warn", "api-key.not-rehashed", { apiKeyId: id, ...errorFields(error) });
  }
}
