import { sql } from "drizzle-orm";
import { invitations, members, type Role } from "@/db/schema";
import type { Invitation } from "@/db/schema/identity";
import { AppError } from "@/lib/core/app-error";
import { hashToken, newToken } from "@/lib/core/crypto";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, userBehind } from "./author";
import { rolesWithinReach } from "./member-rules";
import { audited } from "./record-audit";
import { rowsOf } from "./rows-of";

/** `email` null: anyone with the link may join. */
export type NewInvitation = { role: Role; email: string | null; days: number };

/** The token is shown once, in the link; only its hash is stored. Throws FORBIDDEN for a role they may not give. */
export function inviteMember(
  workspaceId: WorkspaceId,
  { role, email, days }: NewInvitation,
  by: Author,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  return audited(workspaceId, by, async (tx, record) => {
    const invitedBy = userBehind(by) ?? "";
    // Locked, so that no one invites with a role that is being revoked.
    const [inviter] = await tx
      .select({ role: members.role })
      .from(members)
      .where(rowsOf(members, workspaceId, { userId: invitedBy }))
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
    await record("invitation.created", id, { before: null, after: { role, email, expiresAt: made.expiresAt } });
    return { id, token, ...made };
  });
}

/** Revokes an invitation link immediately. Throws NOT_FOUND if it was already used or revoked. */
export function revokeInvitation(workspaceId: WorkspaceId, id: string, by: Author): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const [revoked] = await tx
      .update(invitations)
      .set({ revokedAt: sql`now()` })
      .where(rowsOf(invitations, workspaceId, { id, acceptedAt: null, revokedAt: null }))
      .returning({ role: invitations.role, email: invitations.email, revokedAt: invitations.revokedAt });
    if (!revoked) throw new AppError("NOT_FOUND", "This invitation was used or revoked before.");
    const { revokedAt, ...invitation } = revoked;
    await record("invitation.revoked", id, { before: { revokedAt: null }, after: { ...invitation, revokedAt } });
  });
}

/** The validity periods to choose from, in days. */
export const EXPIRY_DAYS = ["1", "7", "30"] as const;

export type InvitationState = "open" | "accepted" | "revoked" | "expired";

/** Returns an invitation's status; whatever happened first counts. */
export function invitationState(
  { acceptedAt, revokedAt, expiresAt }: Pick<Invitation, "acceptedAt" | "revokedAt" | "expiresAt">,
  now: Date,
): InvitationState {
  if (acceptedAt) return "accepted";
  if (revokedAt) return "revoked";
  return expiresAt <= now ? "expired" : "open";
}
