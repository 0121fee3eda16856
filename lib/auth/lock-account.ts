import { and, eq, ne } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { members, users } from "@/db/schema";
import { forbidden } from "@/lib/core/app-error";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { lockMembership } from "@/lib/workspaces/queries";
import { type Author, recorder } from "@/lib/workspaces/record-audit";
import { resetFault } from "@/lib/workspaces/roles";

export type Account = { id: string; email: string; name: string };

/** Locks the account, so that it cannot join a workspace meanwhile: a new membership references the row. */
export async function lockAccount(tx: Transaction, where: ReturnType<typeof eq>): Promise<Account | undefined> {
  const [account] = await tx
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(where)
    .for("update");
  return account;
}

/**
 * Locks the account of a member whose way in an owner may change: their password or second factor. Throws FORBIDDEN unless `by`
 * is an owner, for oneself, and for an account that another workspace trusts, too; NOT_FOUND if there is no such member.
 */
export async function lockResettable(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { userId, by, purpose }: { userId: string; by: Author; purpose: string },
): Promise<Account> {
  const membership = await lockMembership(tx, workspaceId, { actingId: by.actor.id, targetId: userId });
  const fault = resetFault(membership);
  if (fault) throw forbidden(fault);
  const account = await lockAccount(tx, eq(users.id, userId));
  if (!account || (await isMemberElsewhere(tx, userId, workspaceId)))
    throw forbidden(`${OF_SEVERAL} Only the operator of this server can ${purpose}.`);
  return account;
}

const OF_SEVERAL = "This account is used in another workspace, too.";

/** Whether the user is in other workspaces, to which an owner's reset would give access, too. */
export async function isMemberElsewhere(tx: Transaction, userId: string, workspaceId: string): Promise<boolean> {
  const isElsewhere = and(eq(members.userId, userId), ne(members.workspaceId, workspaceId));
  return (await tx.select({ userId: members.userId }).from(members).where(isElsewhere).limit(1)).length > 0;
}

type Recording = Parameters<ReturnType<typeof recorder>>;

/** Writes what happened to an account into the audit log of each of its workspaces. */
export async function recordEverywhere(
  tx: Transaction,
  { userId, by }: { userId: string; by: Author },
  ...[action, change]: [Recording[0], Recording[2]]
): Promise<void> {
  const places = await tx.select({ id: members.workspaceId }).from(members).where(eq(members.userId, userId));
  for (const { id } of places) await recorder(tx, provenWorkspaceId(id), by)(action, userId, change);
}
