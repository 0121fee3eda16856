import { isNotNull, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Author } from "@/lib/workspaces/author";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { isEndpoint, noSuchEndpoint } from "./endpoint-queries";

/** Stops deliveries; events go on being stored, and are sent after a resume. Throws NOT_FOUND. */
export function pauseEndpoint(workspaceId: WorkspaceId, endpointId: string, by: Author): Promise<void> {
  return setPause(workspaceId, { endpointId, isPaused: true }, by);
}

/** Goes on with what is waiting, the oldest first. Throws NOT_FOUND. */
export function resumeEndpoint(workspaceId: WorkspaceId, endpointId: string, by: Author): Promise<void> {
  return setPause(workspaceId, { endpointId, isPaused: false }, by);
}

const setPause = (
  workspaceId: WorkspaceId,
  { endpointId, isPaused }: { endpointId: string; isPaused: boolean },
  by: Author,
) =>
  onDatabase((db) =>
    db.transaction(async (tx) => {
      const isOther = isPaused ? isNull(webhookEndpoints.pausedAt) : isNotNull(webhookEndpoints.pausedAt);
      const [changed] = await tx
        .update(webhookEndpoints)
        .set(
          isPaused
            ? { pausedAt: sql`now()`, pausedBy: "member" }
            : { pausedAt: null, pausedBy: null, failingSince: null, failures: 0, heldUntil: null },
        )
        .where(sql`${isEndpoint(workspaceId, endpointId)} and ${isOther}`)
        .returning({ pausedAt: webhookEndpoints.pausedAt });
      if (!changed) {
        const [found] = await tx
          .select({ id: webhookEndpoints.id })
          .from(webhookEndpoints)
          .where(isEndpoint(workspaceId, endpointId));
        if (!found) throw noSuchEndpoint();
        return;
      }
      await recordAudit(tx, workspaceId, {
        by,
        action: isPaused ? "webhookEndpoint.paused" : "webhookEndpoint.resumed",
        targetId: endpointId,
        before: null,
        after: { isPaused },
      });
    }),
  );
