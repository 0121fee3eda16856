import { inTransaction, type Transaction } from "@/db/client";
import { rawSql } from "@/db/raw-sql";
import { members, users, workspaces } from "@/db/schema";
import { AppError, invalid } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import { type Plan, provenWorkspaceId, type WorkspaceId } from "@/lib/core/principal";
import { type Author, byUser, recorder } from "./record-audit";

type NewAccount = { user: NewUser; workspace: { name: string; plan: Plan }; requestId: string };

/** An account, and the workspace that it owns. */
type OpenedAccount = { userId: string; workspaceId: WorkspaceId };

/** Does not check whether sign-up is allowed: the caller must. Throws if the address has an account. */
export function openAccount(wanted: NewAccount): Promise<OpenedAccount> {
  return inTransaction((tx) => openIn(tx, wanted, { isEmailVouched: false }));
}

/** Creates a deployment's first account. Of concurrent requests one succeeds; later ones throw NOT_FOUND. */
export function openFirstAccount(wanted: NewAccount): Promise<OpenedAccount> {
  return inTransaction(async (tx) => {
    if (await hasUsers(tx)) throw alreadySetUp();
    // Concurrent calls and provisioning runs wait for this lock, and then see the account.
    await rawSql(tx)`lock table users in share row exclusive mode`;
    if (await hasUsers(tx)) throw alreadySetUp();
    // The first account is considered the operator's, so its address is trusted.
    return openIn(tx, wanted, { isEmailVouched: true });
  });
}

async function openIn(
  tx: Transaction,
  { user, workspace, requestId }: NewAccount,
  vouched: { isEmailVouched: boolean },
): Promise<OpenedAccount> {
  const { userId } = await addUser(tx, user, vouched);
  const workspaceId = await addWorkspace(tx, { ...workspace, ownerId: userId }, byUser(userId, requestId));
  return { userId, workspaceId };
}

const hasUsers = async (tx: Transaction): Promise<boolean> =>
  (await tx.select({ id: users.id }).from(users).limit(1)).length > 0;

const alreadySetUp = () => new AppError("NOT_FOUND", "Setup is already complete. Sign in.");

/** The password is already hashed, because nouns do not import lib/auth. */
export type NewUser = { email: string; name: string; passwordHash: string };

/** Creates an account, in a transaction that gives it a workspace. A unique index prevents duplicate addresses. */
export async function addUser(
  tx: Transaction,
  user: NewUser,
  { isEmailVouched = false }: { isEmailVouched?: boolean } = {},
): Promise<{ userId: string }> {
  const [made] = await tx
    .insert(users)
    .values({ ...user, id: newId("usr"), isEmailVouched })
    .onConflictDoNothing({ target: users.email })
    .returning({ userId: users.id });
  if (made) return made;
  throw invalid([{ path: "email", message: "There is an account with this address: sign in instead." }]);
}

type NewWorkspace = { name: string; plan: Plan; ownerId: string };

/** Creates a workspace with its owner. Does not check permissions: the caller must. */
export function createWorkspace(workspace: NewWorkspace, by: Author): Promise<WorkspaceId> {
  return inTransaction((tx) => addWorkspace(tx, workspace, by));
}

/** The same within the caller's transaction, so a workspace never exists without an owner. */
async function addWorkspace(
  tx: Transaction,
  { ownerId, ...workspace }: NewWorkspace,
  by: Author,
): Promise<WorkspaceId> {
  const workspaceId = provenWorkspaceId(newId("ws"));
  await tx.insert(workspaces).values({ ...workspace, id: workspaceId });
  await tx.insert(members).values({ workspaceId, userId: ownerId, role: "owner" });
  const after = { ...workspace, ownerId };
  await recorder(tx, workspaceId, by)("workspace.created", workspaceId, { before: null, after });
  return workspaceId;
}
