import { and, eq } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { jobs, members, type Role, users } from "@/db/schema";
import { forbidden } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { endSessionsOf } from "@/lib/sessions/change-sessions";
import { lockMembership } from "./queries";
import { type Author, audited } from "./record-audit";
import { memberFault } from "./roles";
import { rowsOf } from "./rows-of";

/**
 * Changes a member's role and ends their sessions in all workspaces, except `actingSessionId` if members change
 * their own role. Throws FORBIDDEN if the rules forbid it, NOT_FOUND if there is no such member.
 */
export function changeRole(
  workspaceId: WorkspaceId,
  { userId, role, actingSessionId }: { userId: string; role: Role; actingSessionId: string },
  by: Author,
): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const before = { role: await lockRole(tx, workspaceId, { userId, role, by }) };
    if (before.role === role) return;
    await tx
      .update(members)
      .set({ role })
      .where(rowsOf(members, workspaceId, { userId }));
    await endSessionsOf(tx, userId, actingSessionId);
    await record("member.changed", userId, { before, after: { role } });
  });
}

/**
 * Removes a member, or oneself, from the workspace, with their invitations. The account stays; its sessions
 * end, except `actingSessionId` if a member leaves. Throws FORBIDDEN if the rules forbid it, NOT_FOUND if
 * there is no such member.
 */
export function removeMember(
  workspaceId: WorkspaceId,
  { userId, actingSessionId }: { userId: string; actingSessionId: string },
  by: Author,
): Promise<void> {
  return audited(workspaceId, by, async (tx, record) => {
    const role = await lockRole(tx, workspaceId, { userId, role: null, by });
    await tx.delete(members).where(rowsOf(members, workspaceId, { userId }));
    // What was queued for them is no longer theirs to read.
    await tx.delete(jobs).where(and(eq(jobs.workspaceId, workspaceId), eq(jobs.userId, userId)));
    await endSessionsOf(tx, userId, actingSessionId);
    const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
    await record("member.removed", userId, { before: { email: user?.email, role }, after: { role: null } });
  });
}

/** Returns the role that the member has, once `by` may give the new one (null: remove them). */
async function lockRole(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { userId, role, by }: { userId: string; role: Role | null; by: Author },
): Promise<Role> {
  const membership = await lockMembership(tx, workspaceId, { actingId: by.actor.id, targetId: userId });
  const fault = memberFault(membership, role);
  if (fault) throw forbidden(fault);
  return membership.target.role;
}
