import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers } from "@/db/schema";
import { maskNumbers } from "@/lib/core/masked-text";
import type { WorkspaceId } from "@/lib/core/workspace-id";

/**
 * Notes at a line that WhatsApp refuses its token, with its words. `accessToken` is the sealed token that was used: where
 * it was replaced since, nothing changes.
 */
export async function markTokenRefused(
  workspaceId: WorkspaceId,
  { id, accessToken }: { id: string; accessToken: string },
  reason: string,
): Promise<void> {
  await onDatabase((db) =>
    db
      .update(phoneNumbers)
      // WhatsApp's words may name a recipient, whom an erasure would not find here.
      .set({ tokenProblem: maskNumbers(reason), updatedAt: sql`now()` })
      .where(
        and(
          eq(phoneNumbers.workspaceId, workspaceId),
          eq(phoneNumbers.id, id),
          eq(phoneNumbers.accessToken, accessToken),
          isNull(phoneNumbers.tokenProblem),
        ),
      ),
  );
}
