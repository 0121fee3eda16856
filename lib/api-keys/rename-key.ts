import { and, eq } from "drizzle-orm";
import { inTransaction } from "@/db/client";
import { apiKeys } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { findKey, noSuchKey } from "./queries";

/** Changes the label of a key, even a revoked one. Does not check permissions: the caller must. Throws NOT_FOUND. */
export function renameKey(
  workspaceId: WorkspaceId,
  { apiKey, label }: { apiKey: string; label: string },
  by: Author,
): Promise<void> {
  return inTransaction(async (tx) => {
    const key = await findKey(tx, workspaceId, apiKey);
    if (!key) throw noSuchKey(apiKey);
    const change = changeOf({ label: key.label }, { label });
    if (!change) return;
    await tx
      .update(apiKeys)
      .set({ label })
      .where(and(eq(apiKeys.workspaceId, workspaceId), eq(apiKeys.id, key.id)));
    await recordAudit(tx, workspaceId, { by, action: "apiKey.renamed", targetId: key.id, ...change });
  });
}
