import { and, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { invitations } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";
import { recordAudit } from "./record-audit";

/** The link stops working at once. Throws NOT_FOUND where it was used or revoked before. */
export function revokeInvitation(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const [revoked] = await tx
        .update(invitations)
        .set({ revokedAt: sql`now()` })
        .where(
          and(
            eq(invitations.workspaceId, workspaceId),
            eq(invitations.id, id),
            isNull(invitations.acceptedAt),
            isNull(invitations.revokedAt),
          ),
        )
        .returning({ role: invitations.role, email: invitations.email, revokedAt: invitations.revokedAt });
      if (!revoked) throw new AppError("NOT_FOUND", "This invitation was used or revoked before.");
      const { revokedAt, ...invitation } = revoked;
      await recordAudit(tx, workspaceId, {
        by,
        action: "invitation.revoked",
        targetId: id,
        before: { revokedAt: null },
        after: { ...invitation, revokedAt },
      });
    }),
  );
}
