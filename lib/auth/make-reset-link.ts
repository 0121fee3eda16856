import { and, eq, ne, sql } from "drizzle-orm";
import { inTransaction, type Transaction } from "@/db/client";
import { members, passwordResets, users } from "@/db/schema";
import { AppError, forbidden } from "@/lib/core/app-error";
import { hashToken, newToken } from "@/lib/core/crypto";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { resetFault } from "@/lib/workspaces/member-rules";
import { lockMembership } from "@/lib/workspaces/queries";
import { audited, recorder } from "@/lib/workspaces/record-audit";
import { RESET_MINUTES } from "./credential-limits";

/** The token exists only in the link, and is returned once. */
export type ResetLink = { token: string; email: string; name: string; expiresAt: Date };

/**
 * Creates a password reset link for a member and invalidates the previous one. Throws FORBIDDEN unless called by
 * an owner; also for oneself, and for an account that is in another workspace. NOT_FOUND if there is no such member.
 */
export function makeResetLink(workspaceId: WorkspaceId, userId: string, by: Author): Promise<ResetLink> {
  return audited(workspaceId, by, async (tx, record) => {
    const membership = await lockMembership(tx, workspaceId, { actingId: by.actor.id, targetId: userId });
    const fault = resetFault(membership);
    if (fault) throw forbidden(fault);
    const account = await lockAccount(tx, eq(users.id, userId));
    if (!account || (await isMemberElsewhere(tx, userId, workspaceId))) throw forbidden(ONLY_OPERATOR);
    const link = await addLink(tx, account, { workspaceId, madeBy: by.actor.id });
    await record("member.resetLinkCreated", userId, changeWith(link));
    return link;
  });
}

/** Creates a reset link for any account, for the operator. Throws NOT_FOUND if there is no such account. */
export function makeOperatorsResetLink(email: string, by: Author): Promise<ResetLink> {
  return inTransaction(async (tx) => {
    const account = await lockAccount(tx, eq(users.email, email.trim().toLowerCase()));
    if (!account) throw new AppError("NOT_FOUND", `There is no account with the address ${email}.`);
    const link = await addLink(tx, account, { workspaceId: null, madeBy: null });
    for (const workspaceId of await workspacesOf(tx, account.id)) {
      await recorder(tx, workspaceId, by)("member.resetLinkCreated", account.id, changeWith(link));
    }
    return link;
  });
}

type Account = { id: string; email: string; name: string };

/** Locks the account, so that it cannot join a workspace meanwhile: a new membership references the row. */
export async function lockAccount(tx: Transaction, is: ReturnType<typeof eq>): Promise<Account | undefined> {
  const [account] = await tx
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(is)
    .for("update");
  return account;
}

/** Returns whether the user is in other workspaces, to which an owner's reset link would give access, too. */
export async function isMemberElsewhere(tx: Transaction, userId: string, workspaceId: string): Promise<boolean> {
  const isElsewhere = and(eq(members.userId, userId), ne(members.workspaceId, workspaceId));
  return (await tx.select({ userId: members.userId }).from(members).where(isElsewhere).limit(1)).length > 0;
}

export async function workspacesOf(tx: Transaction, userId: string): Promise<WorkspaceId[]> {
  const places = await tx.select({ id: members.workspaceId }).from(members).where(eq(members.userId, userId));
  return places.map(({ id }) => provenWorkspaceId(id));
}

const ONLY_OPERATOR =
  "This account is used in another workspace, too. Only the operator of this server can reset its password.";

const addLink = async (
  tx: Transaction,
  { id: userId, email, name }: Account,
  maker: { workspaceId: string | null; madeBy: string | null },
): Promise<ResetLink> => {
  const token = newToken();
  const values = {
    tokenHash: hashToken(token),
    ...maker,
    createdAt: sql`now()`,
    expiresAt: sql`now() + make_interval(mins => ${RESET_MINUTES}::int)`,
  };
  const [made] = await tx
    .insert(passwordResets)
    .values({ userId, ...values })
    .onConflictDoUpdate({ target: passwordResets.userId, set: values })
    .returning({ expiresAt: passwordResets.expiresAt });
  if (!made) throw new Error("an upsert returns its row");
  return { token, email, name, ...made };
};

const changeWith = ({ email, expiresAt }: ResetLink) => ({ before: null, after: { email, expiresAt } });

/** The token is in the fragment, so that it reaches no server log or Referer; the page posts it. */
export function resetAddress(appUrl: string, token: string): string {
  return `${appUrl}/reset-password#${token}`;
}

export function resetNoLongerGood() {
  return forbidden(`This link no longer works. A link works once, within ${RESET_MINUTES} minutes. Ask for a new one.`);
}
