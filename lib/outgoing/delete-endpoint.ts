import { sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";

/**
 * Ends an endpoint, and everything that was waiting for it. The row and its deliveries are removed a day later: a
 * status that is written at this moment may still refer to them. Throws NOT_FOUND.
 */
export function deleteEndpoint(workspaceId: WorkspaceId, endpointId: string, by: Author): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const [deleted] = await tx
        .update(webhookEndpoints)
        .set({ deletedAt: sql`now()`, secret: "", previousSecret: null, previousSecretEndsAt: null })
        .where(isEndpoint(workspaceId, endpointId))
        .returning({ url: webhookEndpoints.url, label: webhookEndpoints.label });
      if (!deleted) throw noSuchEndpoint();
      await recordAudit(tx, workspaceId, {
        by,
        action: "webhookEndpoint.deleted",
        targetId: endpointId,
        before: deleted,
        after: { isDeleted: true },
      });
    }),
  );
}
