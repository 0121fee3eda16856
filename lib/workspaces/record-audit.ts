import type { Transaction } from "@/db/client";
import { auditLog } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "./author";
import type { Change } from "./change";

/** Every word of the log: what was done to which kind of thing. */
export type AuditAction =
  | "apiKey.created"
  | "apiKey.changed"
  | "apiKey.renamed"
  | "apiKey.rotated"
  | "apiKey.revoked"
  | "contact.added"
  | "contact.created"
  | "contact.changed"
  | "contact.erased"
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

export type AuditEntry = { by: Author; action: AuditAction; targetId: string } & Change;

/** Notes a change in the transaction that makes it: the two commit together or not at all. */
export async function recordAudit(
  tx: Transaction,
  workspaceId: WorkspaceId,
  { by: { actor, requestId }, action, targetId, before, after }: AuditEntry,
): Promise<void> {
  const targetKind = action.replace(/\..*/, "");
  await tx.insert(auditLog).values({
    workspaceId,
    id: newId("aud"),
    actorKind: actor.kind,
    actorId: actor.id,
    requestId,
    action,
    targetKind,
    targetId,
    before,
    after,
  });
}
