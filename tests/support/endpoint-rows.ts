import type { Mode } from "@/lib/core/principal";
import { addEndpoint } from "./receiver";
import { sql } from "./rows";

type Made = { endpointId: string; deliveryId: string };

/** A paused endpoint, and a delivery that was refused once and then taken: about `messageId`, or a test event. */
export const endpointWithDelivery = async (
  { workspaceId }: { workspaceId: string },
  { mode = "test", messageId }: { mode?: Mode; messageId?: string } = {},
): Promise<Made> => {
  const { id: endpointId } = await addEndpoint({ workspaceId }, { url: "https://example.com/webhooks", mode });
  const deliveryId = `whd_${crypto.randomUUID().replaceAll("-", "")}`;
  const type = messageId === undefined ? "webhook.test" : "message.delivered";
  await sql`
      with paused as (
        update webhook_endpoints set paused_at = now(), paused_by = 'member' where id = ${endpointId} returning id
      ), delivery as (
        insert into webhook_deliveries (
          workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, attempts, settled_at)
        select ${workspaceId}, ${deliveryId}, id, ${type}, ${messageId ?? deliveryId}, 2,
          '{"status":"DELIVERED","sentAt":"2026-01-05T12:00:00Z","deliveredAt":"2026-01-05T12:00:02Z"}', now(), 'DELIVERED',
          2, now() from paused
        returning workspace_id, id
      )
      insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, status_code, response)
      select delivery.*, made.* from delivery, (values
        (1, now() - interval '5 seconds', 31, 503, '{"error":"The database of this server is not there."}'),
        (2, now(), 12, 200, 'ok')
      ) made (number, started_at, duration_ms, status_code, response)`;
  return { endpointId, deliveryId };
};
