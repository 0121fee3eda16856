import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { invitations, members } from "@/db/schema";
import { recordAudit } from "@/lib/audit/record-audit";
import { AppError } from "@/lib/errors";
import { type Account, addUser, type NewUser } from "@/lib/users/add-user";
import { hashToken } from "./invitation";
import { rolesWithinReach } from "./member-rules";
import { provenWorkspaceId, type WorkspaceId } from "./workspace-id";

type Person = { userId: string; email: string };

/** Spends an invitation: of several who try at once one joins. Throws FORBIDDEN where it is not, or no longer, good. */
export const joinWorkspace = (token: string, person: Person, requestId: string): Promise<WorkspaceId> =>
  onDatabase((db) => db.transaction((tx) => join(tx, { token, person, requestId })));

/** The same with an account that is made for it, both or neither. */
export const joinWithNewAccount = (
  token: string,
  user: NewUser,
  requestId: string,
): Promise<Account & { workspaceId: WorkspaceId }> =>
  onDatabase((db) =>
    db.transaction(async (tx) => {
      const account = await addUser(tx, user);
      const person = { userId: account.userId, email: user.email };
      return { ...account, workspaceId: await join(tx, { token, person, requestId }) };
    }),
  );

const join = async (
  tx: Transaction,
  { token, person: { userId, email }, requestId }: { token: string; person: Person; requestId: string },
): Promise<WorkspaceId> => {
  const [invitation] = await tx
    .update(invitations)
    .set({ acceptedAt: sql`now()`, acceptedBy: userId })
    .where(
      and(
        ...[eq(invitations.tokenHash, hashToken(token)), gt(invitations.expiresAt, sql`now()`)],
        ...[isNull(invitations.acceptedAt), isNull(invitations.revokedAt)],
        or(isNull(invitations.email), eq(invitations.email, email)),
      ),
    )
    .returning();
  if (!invitation) throw notGood();
  const { id, role, invitedBy } = invitation;
  const workspaceId = provenWorkspaceId(invitation.workspaceId);
  // What an inviter may no longer give is not given in their name.
  const [inviter] = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, invitedBy)))
    .for("share");
  if (!inviter || !rolesWithinReach(inviter.role).includes(role)) throw notGood();
  const [joined] = await tx
    .insert(members)
    .values({ workspaceId, userId, role })
    .onConflictDoNothing()
    .returning({ userId: members.userId });
  if (!joined) throw new AppError("FORBIDDEN", "You are a member of this workspace already.");
  await recordAudit(tx, workspaceId, {
    ...{ by: { actor: { kind: "user", id: userId }, requestId }, action: "member.added", targetId: userId },
    ...{ before: null, after: { email, role, invitationId: id, invitedBy } },
  });
  return workspaceId;
};

const notGood = () =>
  new AppError("FORBIDDEN", "This invitation can no longer be used. Reload the page to see why.", {
    details: { retryable: false },
  });
