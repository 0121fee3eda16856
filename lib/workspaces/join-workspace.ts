import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { type Invitation, invitations, members } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { hashToken } from "@/lib/core/link-token";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import { addUser, type NewUser } from "./add-user";
import { rolesWithinReach } from "./member-rules";
import { recordAudit } from "./record-audit";

type Person = { userId: string; email: string };

/** Spends an invitation: of several who try at once one joins. Throws FORBIDDEN where it is not, or no longer, good. */
export function joinWorkspace(token: string, person: Person, requestId: string): Promise<WorkspaceId> {
  return onDatabase((db) =>
    db.transaction(async (tx) => join(tx, await spend(tx, token, person.email), { person, requestId })),
  );
}

/**
 * The same with an account that is made for it, both or neither. The invitation is looked at first: without a good one
 * it is not revealed whether an address has an account.
 */
export function joinWithNewAccount(
  token: string,
  user: NewUser,
  requestId: string,
): Promise<{ userId: string; workspaceId: WorkspaceId }> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const invitation = await spend(tx, token, user.email);
      const account = await addUser(tx, user);
      const person = { userId: account.userId, email: user.email };
      return { ...account, workspaceId: await join(tx, invitation, { person, requestId }) };
    }),
  );
}

/** What an inviter may no longer give is not given in their name. */
const spend = async (tx: Transaction, token: string, email: string): Promise<Invitation> => {
  const [invitation] = await tx
    .update(invitations)
    .set({ acceptedAt: sql`now()` })
    .where(
      and(
        eq(invitations.tokenHash, hashToken(token)),
        gt(invitations.expiresAt, sql`now()`),
        isNull(invitations.acceptedAt),
        isNull(invitations.revokedAt),
        or(isNull(invitations.email), eq(invitations.email, email)),
      ),
    )
    .returning();
  if (!invitation) throw noLongerGood();
  const { workspaceId, invitedBy, role } = invitation;
  const [inviter] = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, invitedBy)))
    .for("share");
  if (!inviter || !rolesWithinReach(inviter.role).includes(role)) throw noLongerGood();
  return invitation;
};

const join = async (
  tx: Transaction,
  { id, role, invitedBy, workspaceId: joinedId }: Invitation,
  { person: { userId, email }, requestId }: { person: Person; requestId: string },
): Promise<WorkspaceId> => {
  const workspaceId = provenWorkspaceId(joinedId);
  await tx
    .update(invitations)
    .set({ acceptedBy: userId })
    .where(and(eq(invitations.workspaceId, workspaceId), eq(invitations.id, id)));
  const [joined] = await tx
    .insert(members)
    .values({ workspaceId, userId, role })
    .onConflictDoNothing()
    .returning({ userId: members.userId });
  if (!joined) throw new AppError("FORBIDDEN", "You are a member of this workspace already.");
  await recordAudit(tx, workspaceId, {
    by: { actor: { kind: "user", id: userId }, requestId },
    action: "member.added",
    targetId: userId,
    before: null,
    after: { email, role, invitationId: id, invitedBy },
  });
  return workspaceId;
};

export function noLongerGood() {
  return new AppError("FORBIDDEN", "This invitation can no longer be used. Reload the page to see why.", {
    details: { retryable: false },
  });
}
