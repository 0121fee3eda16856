import { and, eq, sql } from "drizzle-orm";
import { inTransaction } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { env } from "@/lib/core/env";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { OVERLAP_SECONDS, type Overlap } from "./key-age";
import { hashSecret, newKeyPair } from "./key-pair";
import { isUsable, noSuchKey } from "./queries";

export type RotatedKey = { id: string; apiKey: string; apiSecret: string; previousSecretEndsAt: Date | null };

/**
 * Gives an active key a new secret. The previous one works until the overlap ends, an older one no longer. Does not
 * check permissions: the caller must. Throws NOT_FOUND.
 */
export function rotateKey(
  workspaceId: WorkspaceId,
  { apiKey, overlap }: { apiKey: string; overlap: Overlap },
  by: Author,
): Promise<RotatedKey> {
  return inTransaction(async (tx) => {
    const isThisKey = and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.apiKey, apiKey), isUsable);
    const [stored] = await tx.select({ mode: apiKeys.mode }).from(apiKeys).where(isThisKey);
    if (!stored) throw noSuchKey(apiKey);
    const { apiSecret } = newKeyPair(stored.mode);
    const seconds = OVERLAP_SECONDS[overlap];
    const [rotated] = await tx
      .update(apiKeys)
      .set({
        secretHash: hashSecret(apiSecret, env().KEY_PEPPER),
        secretMadeAt: sql`now()`,
        previousSecretHash: seconds > 0 ? sql`${apiKeys.secretHash}` : null,
        previousSecretEndsAt: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
      })
      // Checked again, because it may have been revoked since.
      .where(isThisKey)
      .returning({ id: apiKeys.id, previousSecretEndsAt: apiKeys.previousSecretEndsAt });
    if (!rotated) throw noSuchKey(apiKey);
    await recordAudit(tx, workspaceId, {
      by,
      action: "apiKey.rotated",
      targetId: rotated.id,
      before: null,
      after: { apiKey, overlap, previousSecretEndsAt: rotated.previousSecretEndsAt },
    });
    return { ...rotated, apiKey, apiSecret };
  });
}
