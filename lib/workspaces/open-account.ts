import { onDatabase, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { users } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { Plan } from "@/lib/core/plans";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { addUser, type NewUser } from "./add-user";
import { addWorkspace } from "./create-workspace";

export type NewAccount = { user: NewUser; workspace: { name: string; plan: Plan }; requestId: string };

/** An account, and the workspace that it owns. */
export type OpenedAccount = { userId: string; workspaceId: WorkspaceId };

/** Does not check whether strangers may: the caller must. Throws where the address has an account. */
export function openAccount(wanted: NewAccount): Promise<OpenedAccount> {
  return onDatabase((db) => db.transaction((tx) => openIn(tx, wanted, { isEmailVouched: false })));
}

/** The first account of a deployment. Of several that are asked for at once one is made; throws NOT_FOUND ever after. */
export function openFirstAccount(wanted: NewAccount): Promise<OpenedAccount> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      if (await hasUsers(tx)) throw alreadySetUp();
      // Others who are here wait, as does a provisioning run, and see the account when it is their turn.
      await rawSql(tx)`lock table users in share row exclusive mode`;
      if (await hasUsers(tx)) throw alreadySetUp();
      // The first account is taken for the operator's, and an operator vouches for addresses.
      return openIn(tx, wanted, { isEmailVouched: true });
    }),
  );
}

const openIn = async (
  tx: Transaction,
  { user, workspace, requestId }: NewAccount,
  vouched: { isEmailVouched: boolean },
): Promise<OpenedAccount> => {
  const account = await addUser(tx, user, vouched);
  const by = { actor: { kind: "user" as const, id: account.userId }, requestId };
  return { ...account, workspaceId: await addWorkspace(tx, { ...workspace, ownerId: account.userId }, by) };
};

const hasUsers = async (tx: Transaction): Promise<boolean> =>
  (await tx.select({ id: users.id }).from(users).limit(1)).length > 0;

const alreadySetUp = () => new AppError("NOT_FOUND", "Setup is already complete. Sign in.");
