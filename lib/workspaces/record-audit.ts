import { inTransaction, type onDatabase, type Transaction } from "@/db/client";
import { auditLog } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import type { AuditAction } from "./audit-sentences";
import type { Author } from "./author";
import type { Change } from "./change";

/** Writes the audit row of a change in its transaction, so that both commit or neither does; none without a change. */
export type Recorder = (action: AuditAction, targetId: string, change: Change | undefined) => Promise<void>;

/** Runs a change by `by` in one transaction with its audit rows, which `record` writes. */
export function audited<Result>(
  workspaceId: WorkspaceId,
  by: Author,
  work: (tx: Transaction, record: Recorder) => Promise<Result>,
  options?: Parameters<typeof onDatabase>[1],
): Promise<Result> {
  return inTransaction((tx) => work(tx, recorder(tx, workspaceId, by)), options);
}

/** The same for a transaction of the caller. */
export function recorder(tx: Transaction, workspaceId: WorkspaceId, { actor, requestId }: Author): Recorder {
  return async (action, targetId, change) => {
    if (!change) return;
    await tx.insert(auditLog).values({
      workspaceId,
      id: newId("aud"),
      actorKind: actor.kind,
      actorId: actor.id,
      requestId,
      action,
      targetKind: action.replace(/\..*/, ""),
      targetId,
      ...change,
    });
  };
}
