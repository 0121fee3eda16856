import { and, eq, ne, sql } from "drizzle-orm";
import { onDatabase, type Transaction } from "@/db/client";
import { members, passwordResets, users } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import { hashToken, newToken } from "@/lib/core/link-token";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { resetFault } from "@/lib/workspaces/member-rules";
import { lockMembership } from "@/lib/workspaces/queries";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { RESET_MINUTES } from "./reset-minutes";

/** The token is in the link alone, and returned once. */
export type ResetLink = { token: string; email: string; name: string; expiresAt: Date };

/**
 * Makes the link with which a member sets a new password; the one before stops working. Throws FORBIDDEN for others than
 * owners, for oneself, and for an account that another workspace trusts, too; NOT_FOUND where there is no such member.
 */
export function makeResetLink(workspaceId: WorkspaceId, userId: string, by: Author): Promise<ResetLink> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const membership = await lockMembership(tx, workspaceId, { actingId: by.actor.id, targetId: userId });
      const fault = resetFault(membership);
      if (fault) throw new AppError("FORBIDDEN", fault, { details: { retryable: false } });
      const account = await lockAccount(tx, eq(users.id, userId));
      if (!account || (await isMemberElsewhere(tx, userId, workspaceId))) throw onlyOperator();
      const link = await addLink(tx, account, { workspaceId, madeBy: by.actor.id });
      await noteLink(tx, workspaceId, { userId, link, by });
      return link;
    }),
  );
}

/** The operator's link, for any account. Throws NOT_FOUND where none has the address. */
export function makeOperatorsResetLink(email: string, by: Author): Promise<ResetLink> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const account = await lockAccount(tx, eq(users.email, email.trim().toLowerCase()));
      if (!account) throw new AppError("NOT_FOUND", `There is no account with the address ${email}.`);
      const link = await addLink(tx, account, { workspaceId: null, madeBy: null });
      for (const workspaceId of await workspacesOf(tx, account.id)) {
        await noteLink(tx, workspaceId, { userId: account.id, link, by });
      }
      return link;
    }),
  );
}

type Account = { id: string; email: string; name: string };

/** Locked so that the account joins no workspace in between: a new membership refers to the row. */
export async function lockAccount(tx: Transaction, is: ReturnType<typeof eq>): Promise<Account | undefined> {
  const [account] = await tx
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(is)
    .for("update");
  return account;
}

/** An owner has a say over one workspace: a new password would open the others to anyone with the link. */
export async function isMemberElsewhere(tx: Transaction, userId: string, workspaceId: string): Promise<boolean> {
  const isElsewhere = and(eq(members.userId, userId), ne(members.workspaceId, workspaceId));
  return (await tx.select({ userId: members.userId }).from(members).where(isElsewhere).limit(1)).length > 0;
}

export async function workspacesOf(tx: Transaction, userId: string): Promise<WorkspaceId[]> {
  const places = await tx.select({ id: members.workspaceId }).from(members).where(eq(members.userId, userId));
  return places.map(({ id }) => provenWorkspaceId(id));
}

const onlyOperator = () =>
  new AppError(
    "FORBIDDEN",
    "This account is used in another workspace, too. Only the operator of this server can reset its password.",
    { details: { retryable: false } },
  );

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

const noteLink = (
  tx: Transaction,
  workspaceId: WorkspaceId,
  { userId, link: { email, expiresAt }, by }: { userId: string; link: ResetLink; by: Author },
): Promise<void> =>
  recordAudit(tx, workspaceId, {
    by,
    action: "member.resetLinkCreated",
    targetId: userId,
    before: null,
    after: { email, expiresAt },
  });
