import { and, eq, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { invitations, members, type Role } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { hashToken, newToken } from "@/lib/core/link-token";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type Author, userBehind } from "./author";
import { rolesWithinReach } from "./member-rules";
import { recordAudit } from "./record-audit";

/** `email` null: anyone with the link may join. */
export type NewInvitation = { role: Role; email: string | null; days: number };

/** The token is shown once, in the link; only its hash is kept. Throws FORBIDDEN for a role out of the inviter's reach. */
export function inviteMember(
  workspaceId: WorkspaceId,
  { role, email, days }: NewInvitation,
  by: Author,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const invitedBy = userBehind(by) ?? "";
      // Locked, so that no invitation is made with a role that is being revoked.
      const [inviter] = await tx
        .select({ role: members.role })
        .from(members)
        .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, invitedBy)))
        .for("share");
      if (!inviter || !rolesWithinReach(inviter.role).includes(role)) {
        throw new AppError("FORBIDDEN", `You may not invite a member as ${role}.`, { details: { retryable: false } });
      }
      const [id, token] = [newId("inv"), newToken()];
      const [made] = await tx
        .insert(invitations)
        .values({
          workspaceId,
          id,
          role,
          email,
          invitedBy,
          tokenHash: hashToken(token),
          expiresAt: sql`now() + make_interval(days => ${days}::int)`,
        })
        .returning({ expiresAt: invitations.expiresAt });
      if (!made) throw new Error("an insert returns its row");
      await recordAudit(tx, workspaceId, {
        by,
        action: "invitation.created",
        targetId: id,
        before: null,
        after: { role, email, expiresAt: made.expiresAt },
      });
      return { id, token, ...made };
    }),
  );
}
