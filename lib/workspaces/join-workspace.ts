import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { type Invitation, invitations, members } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { hashToken } from "@/lib/core/crypto";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { rolesWithinReach } from "./member-rules";
import { addUser, type NewUser } from "./open-account";
import { recorder } from "./record-audit";
import { rowsOf } from "./rows-of";

type Person = { userId: string; email: string };

/** Uses an invitation: of concurrent attempts one succeeds. Throws FORBIDDEN if it is invalid or expired. */
export function joinWorkspace(token: string, person: Person, requestId: string): Promise<WorkspaceId> {
  return inTransaction(async (tx) => join(tx, await spend(tx, token, person.email), { person, requestId }));
}

/**
 * The same with a new account, atomically. The invitation is checked first: without a valid one,
 * nothing reveals whether an address has an account.
 */
export function joinWithNewAccount(
  token: string,
  user: NewUser,
  requestId: string,
): Promise<{ userId: string; workspaceId: WorkspaceId }> {
  return inTransaction(async (tx) => {
    const invitation = await spend(tx, token, user.email);
    const account = await addUser(tx, user);
    const person = { userId: account.userId, email: user.email };
    return { ...account, workspaceId: await join(tx, invitation, { person, requestId }) };
  });
}

/** Checks that the inviter may still give the role. */
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
  const { invitedBy, role } = invitation;
  const workspaceId = provenWorkspaceId(invitation.workspaceId);
  const [inviter] = await tx
    .select({ role: members.role })
    .from(members)
    .where(rowsOf(members, workspaceId, { userId: invitedBy }))
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
    .where(rowsOf(invitations, workspaceId, { id }));
  const [joined] = await tx
    .insert(members)
    .values({ workspaceId, userId, role })
    .onConflictDoNothing()
    .returning({ userId: members.userId });
  if (!joined) throw new AppError("FORBIDDEN", "You are already a member of this workspace.");
  const by = { actor: { kind: "user" as const, id: userId }, requestId };
  const after = { email, role, invitationId: id, invitedBy };
  await recorder(tx, workspaceId, by)("member.added", userId, { before: null, after });
  return workspaceId;
};

export function noLongerGood() {
  return new AppError("FORBIDDEN", "This invitation can no longer be used. Reload the page to see why.", {
    details: { retryable: false },
  });
}
