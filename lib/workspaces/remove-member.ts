import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members, users } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { endSessionsOf } from "@/lib/sessions/end-sessions";
import type { Author } from "./author";
import { memberFault } from "./member-rules";
import { lockMembership } from "./queries";
import { recordAudit } from "./record-audit";

/**
 * Removes a member, or oneself, from the workspace, with the invitations that they made. The account stays, its sessions
 * end: only `actingSessionId` goes on, where a member leaves. Throws FORBIDDEN where the rules say no, NOT_FOUND where
 * there is no such member.
 */
export function removeMember(
  workspaceId: WorkspaceId,
  { userId, actingSessionId }: { userId: string; actingSessionId: string },
  by: Author,
): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const membership = await lockMembership(tx, workspaceId, { actingId: by.actor.id, targetId: userId });
      const fault = memberFault(membership, null);
      if (fault) throw new AppError("FORBIDDEN", fault, { details: { retryable: false } });
      await tx.delete(members).where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
      await endSessionsOf(tx, userId, actingSessionId);
      const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
      await recordAudit(tx, workspaceId, {
        by,
        action: "member.removed",
        targetId: userId,
        before: { email: user?.email, role: membership.target.role },
        after: { role: null },
      });
    }),
  );
}
