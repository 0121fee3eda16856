import { and, isNotNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema/business-accounts";
import { errorFields, log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import type { SendOutcome } from "@/lib/whatsapp/post-message";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** The line used by a send; `accessToken` is still encrypted. */
type UsedLine = { id: string; accessToken: string; hasTokenProblem: boolean };

/**
 * Stores what a send revealed about the line's token: a refused credential marks it, an accepted message clears
 * the mark. Time-outs and other refusals are ignored. Never throws: the send already has its outcome.
 */
export async function recordTokenResult(
  workspaceId: WorkspaceId,
  { id, accessToken, hasTokenProblem }: UsedLine,
  outcome: SendOutcome,
): Promise<void> {
  try {
    if (outcome.outcome === "refused" && outcome.isTokenDead) {
      await markTokenRefused(workspaceId, { id, accessToken }, outcome.reason);
    } else if (outcome.outcome === "accepted" && hasTokenProblem) {
      await onDatabase((db) =>
        db
          .update(phoneNumbers)
          .set({ tokenProblem: null, updatedAt: sql`now()` })
          .where(and(rowsOf(phoneNumbers, workspaceId, { id, accessToken }), isNotNull(phoneNumbers.tokenProblem))),
      );
    }
  } catch (error) {
    log("warn", "line.token-not-noted", { phoneNumberId: id, ...errorFields(error) });
  }
}

/**
 * Marks a line's token as refused, with WhatsApp's text. `accessToken` is the encrypted token that was used: if
 * it has been replaced since, nothing changes.
 */
export async function markTokenRefused(
  workspaceId: WorkspaceId,
  { id, accessToken }: { id: string; accessToken: string },
  reason: string,
): Promise<void> {
  await onDatabase((db) =>
    db
      .update(phoneNumbers)
      // WhatsApp's text may contain a recipient, which an erasure would not find here.
      .set({ tokenProblem: maskNumbers(reason), updatedAt: sql`now()` })
      .where(rowsOf(phoneNumbers, workspaceId, { id, accessToken, tokenProblem: null })),
  );
}
