import { inTransaction, type onDatabase, type Transaction } from "@/db/client";
import { auditLog } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "./author";
import type { Change } from "./change";

/** Every action in the log: the kind of object, and what was done to it. */
export type AuditAction =
  | "apiKey.created"
  | "apiKey.changed"
  | "apiKey.limitsChanged"
  | "apiKey.renamed"
  | "apiKey.rotated"
  | "apiKey.revoked"
  | "contact.added"
  | "contact.created"
  | "contact.changed"
  | "contact.erased"
  | "contact.exported"
  | "contact.imported"
  | "contact.merged"
  | "contact.renamed"
  | "member.added"
  | "member.changed"
  | "member.passwordReset"
  | "member.resetLinkCreated"
  | "message.revealed"
  | "invitation.created"
  | "invitation.revoked"
  | "member.removed"
  | "phoneNumber.connected"
  | "phoneNumber.changed"
  | "phoneNumber.paused"
  | "phoneNumber.resumed"
  | "phoneNumber.tokenReplaced"
  | "phoneNumber.subscribed"
  | "phoneNumber.disconnected"
  | "rateCard.uploaded"
  | "rateCard.removed"
  | "rateCard.budgetChanged"
  | "template.created"
  | "template.changed"
  | "template.submitted"
  | "webhookEndpoint.created"
  | "webhookEndpoint.changed"
  | "webhookEndpoint.secretRotated"
  | "webhookEndpoint.paused"
  | "webhookEndpoint.resumed"
  | "webhookEndpoint.deleted"
  | "webhookEndpoint.replayed"
  | "workspace.created"
  | "workspace.changed"
  | "workspace.limitChanged";

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
