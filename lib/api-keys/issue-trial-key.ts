import { and, eq, isNotNull, sql } from "drizzle-orm";
import { inTransaction } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { TRIAL_LABEL, TRIAL_MINUTES } from "./key-age";
import { hashSecret, newKeyPair } from "./key-pair";

export type TrialKey = { apiKey: string; apiSecret: string; expiresAt: Date };

/**
 * Issues a test key for a member's browser, to try the API on its reference page. Each member has one per
 * workspace; each issue rotates its secret; it expires. Does not check permissions (owners, admins): callers must.
 */
export function issueTrialKey(workspaceId: WorkspaceId, userId: string, by: Author): Promise<TrialKey> {
  return inTransaction(async (tx) => {
    // A revoked key stays revoked, and a new one takes its place.
    await tx
      .update(apiKeys)
      .set({ trialOf: null })
      .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.trialOf, userId), isNotNull(apiKeys.revokedAt)));
    const pair = newKeyPair("test");
    const secret = {
      secretHash: hashSecret(pair.apiSecret, env().KEY_PEPPER),
      expiresAt: sql`now() + make_interval(mins => ${TRIAL_MINUTES})`,
    };
    const id = newId("key");
    const [issued] = await tx
      .insert(apiKeys)
      .values({
        workspaceId,
        id,
        trialOf: userId,
        label: TRIAL_LABEL,
        mode: "test",
        apiKey: pair.apiKey,
        createdBy: userId,
        ...secret,
      })
      .onConflictDoUpdate({
        target: [apiKeys.trialOf, apiKeys.workspaceId],
        // The previous secret works until it expires, for another tab.
        set: {
          ...secret,
          secretMadeAt: sql`now()`,
          previousSecretHash: sql`${apiKeys.secretHash}`,
          previousSecretEndsAt: sql`${apiKeys.expiresAt}`,
        },
      })
      .returning({ id: apiKeys.id, apiKey: apiKeys.apiKey, expiresAt: apiKeys.expiresAt });
    if (!issued?.expiresAt) throw new Error("the trial key was not stored");
    const { apiKey, expiresAt } = issued;
    await recordAudit(tx, workspaceId, {
      by,
      action: issued.id === id ? "apiKey.created" : "apiKey.rotated",
      targetId: issued.id,
      before: null,
      after: { apiKey, label: TRIAL_LABEL, mode: "test", expiresAt },
    });
    return { apiKey, apiSecret: pair.apiSecret, expiresAt };
  });
}
