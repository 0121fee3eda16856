import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members, type Role } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { endSessionsOf } from "@/lib/sessions/end-sessions";
import type { Author } from "./author";
import { memberFault } from "./member-rules";
import { lockMembership } from "./queries";
import { recordAudit } from "./record-audit";

/**
 * Ends the member's sessions, in whichever workspace they are used: only `actingSessionId` goes on, where a member changes
 * their own role. Throws FORBIDDEN where the rules say no, NOT_FOUND where there is no such member.
 */
export function changeRole(
  workspaceId: WorkspaceId,
  { userId, role, actingSessionId }: { userId: string; role: Role; actingSessionId: string },
  by: Author,
): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const membership = await lockMembership(tx, workspaceId, { actingId: by.actor.id, targetId: userId });
      const fault = memberFault(membership, role);
      if (fault) throw new AppError("FORBIDDEN", fault, { details: { retryable: false } });
      const before = { role: membership.target.role };
      if (before.role === role) return;
      await tx
        .update(members)
        .set({ role })
        .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
      await endSessionsOf(tx, userId, actingSessionId);
      await recordAudit(tx, workspaceId, {
        by,
        action: "member.changed",
        targetId: userId,
        before,
        after: { role },
      });
    }),
  );
}
