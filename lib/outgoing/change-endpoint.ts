import { onDatabase } from "@/db/client";
import { webhookEndpoints } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { EventType } from "@/lib/public-api/event-types";
import type { Author } from "@/lib/workspaces/author";
import { changeOf } from "@/lib/workspaces/change";
import { recordAudit } from "@/lib/workspaces/record-audit";
import { ENDPOINT_COLUMNS, isEndpoint, noSuchEndpoint } from "./endpoint-queries";

const UNTRIED = { failures: 0, failingSince: null, heldUntil: null, answerMs: null };

/**
 * Changes where an endpoint is, its label or its events. What is waiting goes to the new URL. Whether `by` may, and whether
 * the URL may be called, is for the caller to check. Throws NOT_FOUND.
 */
export function changeEndpoint(
  workspaceId: WorkspaceId,
  { endpointId, ...after }: { endpointId: string; url: string; label: string; events: readonly EventType[] },
  by: Author,
): Promise<void> {
  return onDatabase((db) =>
    db.transaction(async (tx) => {
      const isThis = isEndpoint(workspaceId, endpointId);
      const [before] = await tx.select(ENDPOINT_COLUMNS).from(webhookEndpoints).where(isThis).for("no key update");
      if (!before) throw noSuchEndpoint();
      const change = changeOf(before, after);
      if (!change) return;
      await tx
        .update(webhookEndpoints)
        // Another server: what the one before did says nothing of it.
        .set({ ...after, events: [...after.events], ...(before.url === after.url ? {} : UNTRIED) })
        .where(isThis);
      await recordAudit(tx, workspaceId, { by, action: "webhookEndpoint.changed", targetId: endpointId, ...change });
    }),
  );
}
