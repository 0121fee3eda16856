import { and, eq, isNull, sql } from "drizzle-orm";
import { inTransaction } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, userBehind } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { findKey, noSuchKey } from "./queries";

export type RevokedKey = { id: string; apiKey: string; revokedAt: Date };

/**
 * Revokes a key and all its secrets, permanently: the next request is refused. Revoking it again returns
 * the time of the first revocation. Does not check permissions: the caller must. Throws NOT_FOUND.
 */
export function revokeKey(workspaceId: WorkspaceId, apiKey: string, by: Author): Promise<RevokedKey> {
  return inTransaction(async (tx) => {
    const [revoked] = await tx
      .update(apiKeys)
      .set({ revokedAt: sql`now()`, revokedBy: userBehind(by), previousSecretHash: null, previousSecretEndsAt: null })
      .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.apiKey, apiKey), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id, label: apiKeys.label, revokedAt: apiKeys.revokedAt });
    const key = revoked ?? (await findKey(tx, workspaceId, apiKey));
    if (!key?.revokedAt) throw noSuchKey(apiKey);
    const { id, label, revokedAt } = key;
    if (revoked) {
      await recordAudit(tx, workspaceId, {
        by,
        action: "apiKey.revoked",
        targetId: id,
        before: { revokedAt: null },
        after: { apiKey, label, revokedAt },
      });
    }
    return { id, apiKey, revokedAt };
  });
}
