import { onSql } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { TEST_EVENT } from "@/lib/public-api/event-types";
import { noSuchEndpoint } from "./endpoint-queries";

/**
 * Queues a `webhook.test` event for an endpoint, whatever it subscribes to. Returns the delivery's id. Throws NOT_FOUND.
 */
export async function sendTestEvent(workspaceId: WorkspaceId, endpointId: string): Promise<string> {
  const deliveryId = `whd_${crypto.randomUUID().replaceAll("-", "")}`;
  const written = await onSql(
    (sql) => sql`
      with endpoint as (
        update webhook_endpoints set held_until = null
        where workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null
        returning workspace_id, id
      )
      insert into webhook_deliveries (
        workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at)
      select workspace_id, ${deliveryId}, id, ${TEST_EVENT}, ${deliveryId}, 1, '{}'::jsonb, now() from endpoint`,
  );
  if (written.count === 0) throw noSuchEndpoint();
  return deliveryId;
}
