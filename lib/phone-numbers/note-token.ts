import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import { errorFields, log } from "@/lib/core/log";
import { maskNumbers } from "@/lib/core/masked-text";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { SendOutcome } from "@/lib/whatsapp/post-message";

/** A line as a send knew it; `accessToken` is still sealed. */
type UsedLine = { id: string; accessToken: string; hasTokenProblem: boolean };

/**
 * Keeps what a send showed of the line's token: a refusal of the credential itself marks it, an accepted message clears
 * the mark. A time-out or any other refusal says nothing. Never throws: the send has its outcome already.
 */
export async function noteToken(
  workspaceId: WorkspaceId,
  { id, accessToken, hasTokenProblem }: UsedLine,
  outcome: SendOutcome,
): Promise<void> {
  const isRefused = outcome.outcome === "refused" && outcome.isTokenDead;
  const isCleared = outcome.outcome === "accepted" && hasTokenProblem;
  if (!isRefused && !isCleared) return;
  // What is said of a send may name its recipient, whom an erasure would not find here.
  const problem = isRefused ? maskNumbers(outcome.reason) : null;
  try {
    await onDatabase((db) =>
      db
        .update(phoneNumbers)
        .set({ tokenProblem: problem, updatedAt: sql`now()` })
        .where(
          and(
            eq(phoneNumbers.workspaceId, workspaceId),
            eq(phoneNumbers.id, id),
            // The result says nothing about a token that replaced this one during the check.
            eq(phoneNumbers.accessToken, accessToken),
            isRefused ? isNull(phoneNumbers.tokenProblem) : isNotNull(phoneNumbers.tokenProblem),
          ),
        ),
    );
  } catch (error) {
    log("warn", "line.token-not-noted", { phoneNumberId: id, ...errorFields(error) });
  }
}
