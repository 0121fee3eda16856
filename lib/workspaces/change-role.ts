import { and, eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { members, type Role } from "@/db/schema";
import type { Author } from "@/lib/audit/author";
import { recordAudit } from "@/lib/audit/record-audit";
import { AppError } from "@/lib/errors";
import { memberFault } from "./member-rules";
import { lockMembership } from "./queries";
import type { WorkspaceId } from "./workspace-id";

/** Holds at the member's next request. Throws FORBIDDEN where the rules say no, NOT_FOUND where nobody is there. */
export const changeRole = (
  workspaceId: WorkspaceId,
  { userId, role }: { userId: string; role: Role },
  by: Author,
): Promise<void> =>
  onDatabase((db) =>
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
      await recordAudit(tx, workspaceId, {
        ...{ by, action: "member.changed", targetId: userId },
        ...{ before, after: { role } },
      });
    }),
  );
