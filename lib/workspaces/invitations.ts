import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { type Invitation, invitations, members, type Role, users } from "@/db/schema";
import { AppError, forbidden } from "@/lib/core/app-error";
import { hashToken, newToken } from "@/lib/core/crypto";
import { queued } from "@/lib/core/due-work";
import { newId } from "@/lib/core/new-id";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { queueMails, sendsMail } from "@/lib/mail/queue-mail";
import { addUser, type NewUser } from "./open-account";
import { type Author, audited, byUser, recorder, userBehind } from "./record-audit";
import { ROLE_NAMES, rolesWithinReach } from "./roles";
import { rowsOf } from "./rows-of";

/** `email` null: anyone with the link may join. */
type NewInvitation = { role: Role; email: string | null; days: number };

/** The token is shown once, in the link; only its hash is stored. Throws FORBIDDEN for a role they may not give. */
export async function inviteMember(
  workspaceId: WorkspaceId,
  { role, email, days }: NewInvitation,
  by: Author,
): Promise<{ id: string; token: string; isMailed: boolean; expiresAt: Date }> {
  const isMailed = email !== null && sendsMail();
  const invited = await audited(workspaceId, by, async (tx, record) => {
    const invitedBy = userBehind(by) ?? "";
    if (!(await mayInvite(tx, workspaceId, { invitedBy, role })))
      throw forbidden(`You may not invite a member as ${role}.`);
    const [id, token] = [newId("inv"), newToken()];
    const [made] = await tx
      .insert(invitations)
      .values({
        workspaceId,
        id,
        role,
        email,
        isMailed,
        invitedBy,
        tokenHash: hashToken(token),
        expiresAt: sql`now() + make_interval(days => ${days}::int)`,
      })
      .returning({ expiresAt: invitations.expiresAt });
    if (!made) throw new Error("an insert returns its row");
    await record("invitation.created", id, { before: null, after: { role, email, expiresAt: made.expiresAt } });
    if (isMailed) {
      const sql = rawSql(tx);
      const [who] = await sql<{ workspace: string; inviter: string }[]>`
        select w.name as workspace, u.name as inviter from workspaces w, users u
        where w.id = ${workspaceId} and u.id = ${invitedBy}`;
      const content = invitationText({ role, days, ...who });
      const mail = { id: newId("mail"), kind: "invitation", address: email, workspaceId, content } as const;
      await queueMails(sql, [{ ...mail, hours: days * 24, linkEnd: token }]);
    }
    return { id, token, isMailed, ...made };
  });
  queued("mails");
  return invited;
}

type Invited = { role: Role; days: number; workspace?: string; inviter?: string };

const invitationText = ({ role, days, workspace = "a workspace", inviter = "A member" }: Invited) => ({
  subject: `Join ${workspace} on Switchboard`,
  paragraphs: [
    `${inviter} invites you to ${workspace} as ${ROLE_NAMES[role].toLowerCase()}.`,
    `The link works once, within ${days === 1 ? "1 day" : `${days} days`}. If you do not know ${inviter}, ignore this mail.`,
  ],
  link: { label: "Join the workspace", path: "/invite/" },
});

/** Locks the inviter, so that no one invites with a role that is being revoked. */
async function mayInvite(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { invitedBy, role }: Pick<Invitation, "invitedBy" | "role">,
): Promise<boolean> {
  const isInviter = rowsOf(members, workspaceId, { userId: invitedBy });
  const [inviter] = await tx.select({ role: members.role }).from(members).where(isInviter).for("share");
  return inviter !== undefined && rolesWithinReach(inviter.role).includes(role);
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

type Person = { userId: string; email: string };

/** Uses an invitation: of concurrent attempts one succeeds. Throws FORBIDDEN if it is invalid or expired. */
export function joinWorkspace(token: string, person: Person, requestId: string): Promise<WorkspaceId> {
  return inTransaction(async (tx) => join(tx, await spend(tx, token, person.email), person, requestId));
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
    const { userId } = await addUser(tx, user);
    return { userId, workspaceId: await join(tx, invitation, { userId, email: user.email }, requestId) };
  });
}

/** Marks the invitation as used. Throws if it is not valid, or its inviter may no longer give the role. */
async function spend(tx: Transaction, token: string, email: string): Promise<Invitation> {
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
  if (invitation && (await mayInvite(tx, provenWorkspaceId(invitation.workspaceId), invitation))) return invitation;
  throw invitationInvalid();
}

async function join(
  tx: Transaction,
  { id, role, invitedBy, isMailed, workspaceId: joinedId }: Invitation,
  { userId, email }: Person,
  requestId: string,
): Promise<WorkspaceId> {
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
  if (isMailed) await tx.update(users).set({ emailConfirmedAt: sql`now()` }).where(eq(users.id, userId));
  const after = { email, role, invitationId: id, invitedBy };
  await recorder(tx, workspaceId, byUser(userId, requestId))("member.added", userId, { before: null, after });
  return workspaceId;
}

export function invitationInvalid() {
  return forbidden("This invitation can no longer be used. Reload the page to see why.");
}
