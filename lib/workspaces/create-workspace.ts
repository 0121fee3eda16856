import { onDatabase, type Transaction } from "@/db/client";
import { members, workspaces } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { Plan } from "@/lib/core/plans";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";
import { recordAudit } from "./record-audit";

export type NewWorkspace = { name: string; plan: Plan; ownerId: string };

/** Makes a workspace and its owner. Does not check permissions: the caller must. */
export function createWorkspace(workspace: NewWorkspace, by: Author): Promise<WorkspaceId> {
  return onDatabase((db) => db.transaction((tx) => addWorkspace(tx, workspace, by)));
}

/** The same within a transaction that makes more: a workspace is never there without an owner. */
export async function addWorkspace(
  tx: Transaction,
  { ownerId, ...workspace }: NewWorkspace,
  by: Author,
): Promise<WorkspaceId> {
  const workspaceId = provenWorkspaceId(newId("ws"));
  await tx.insert(workspaces).values({ ...workspace, id: workspaceId });
  await tx.insert(members).values({ workspaceId, userId: ownerId, role: "owner" });
  await recordAudit(tx, workspaceId, {
    by,
    action: "workspace.created",
    targetId: workspaceId,
    before: null,
    after: { ...workspace, ownerId },
  });
  return workspaceId;
}
