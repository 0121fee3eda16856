import type { Sql } from "postgres";
import { provenWorkspaceId } from "@/lib/core/principal";
import { createEndpoint } from "@/lib/outgoing/create-endpoint";
import { EVENT_TYPES, type EventType } from "@/lib/outgoing/events/event-types";
import { command } from "@/lib/workspaces/record-audit";

const MESSAGE_EVENTS = EVENT_TYPES.filter((type) => type.startsWith("message."));

const ENDPOINTS: { label: string; url: string; events: readonly EventType[] }[] = [
  { label: "production", url: "https://orders.acme-plants.example/hooks/switchboard", events: EVENT_TYPES },
  { label: "warehouse", url: "https://warehouse.acme-plants.example/in?source=whatsapp", events: MESSAGE_EVENTS },
  { label: "old-erp", url: "https://erp.acme-plants.example/api/v2/events", events: ["message.failed"] },
];

/** Endpoints in different states, and the deliveries of one; what waits is due only when the pictures are taken. */
export const openEndpoints = async (
  sql: Sql,
  workspaceId: string,
): Promise<{ endpointId: string; deliveryId: string }> => {
  const ids: string[] = [];
  for (const endpoint of ENDPOINTS) {
    const by = command("screens");
    ids.push((await createEndpoint(provenWorkspaceId(workspaceId), { mode: "live", ...endpoint }, by)).id);
  }
  const [production = "", warehouse = "", erp = ""] = ids;
  await sql`
    update webhook_endpoints set created_at = now() - interval '20 days', held_until = now() + interval '1 day',
      previous_secret = secret, previous_secret_ends_at = now() + interval '5 hours',
      failing_since = now() - interval '47 minutes', failures = 9 where id = ${production}`;
  await sql`
    update webhook_endpoints set created_at = now() - interval '9 days' where id = ${warehouse}`;
  await sql`
    update webhook_endpoints set created_at = now() - interval '19 days', paused_at = now() - interval '2 days',
      paused_by = 'gone', failing_since = now() - interval '2 days' where id = ${erp}`;
  for (const [endpointId, most] of [
    [production, 60],
    [warehouse, 8],
    [erp, 14],
  ] as const) {
    await sql`
      insert into webhook_deliveries (workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at,
        state, attempts, next_attempt_at, settled_at, created_at)
      select workspace_id, 'whd_' || md5(id || ${endpointId}), ${endpointId}, 'message.' || lower(status::text), id, 2,
        jsonb_build_object('status', status, 'whatsappMessageId', whatsapp_message_id, 'failureReason', failure_reason,
          'sentAt', sent_at, 'deliveredAt', delivered_at, 'readAt', read_at),
        now() - place * interval '3 minutes', reported.state::delivery_state, reported.attempts,
        now() + interval '26 minutes' + place * interval '1 minute',
        case when reported.state <> 'PENDING' then now() end, now() - place * interval '3 minutes'
      from (
        select *, row_number() over (order by created_at desc) as place from messages
        where workspace_id = ${workspaceId} and mode = 'live' and status <> 'PENDING' order by created_at desc limit ${most}
      ) m, lateral (
        select case when ${endpointId} = ${warehouse} then 'DELIVERED' when ${endpointId} = ${erp} then 'PENDING'
            when place <= 6 then 'PENDING' when place % 9 = 0 then 'FAILED' else 'DELIVERED' end as state,
          case when ${endpointId} = ${warehouse} then 1 when place <= 6 then 4 when place % 9 = 0 then 14
            when place % 4 = 0 then 2 else 1 end as attempts
      ) reported`;
  }
  await sql`
    insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, status_code, failure, response)
    select d.workspace_id, d.id, number, d.created_at + number * interval '20 seconds', reported.ms, reported.code, reported.failure,
      reported.body
    from webhook_deliveries d, generate_series(1, d.attempts) number, lateral (
      select case when d.state = 'DELIVERED' and number = d.attempts then 200 when number % 3 = 2 then null else 503 end as code,
        case when number % 3 = 2 then 15002 else 38 + number * 7 end as ms
    ) status, lateral (
      select status.code, status.ms,
        case when status.code is null then 'No response within 15 s.' end as failure,
        case status.code when 200 then '{"received":true}'
          when 503 then '{"error":"orders database is read-only","retryAfterSeconds":30}' end as body
    ) reported
    where d.workspace_id = ${workspaceId}`;
  const [delivery] = await sql<{ id: string }[]>`
    select id from webhook_deliveries where endpoint_id = ${production} and state = 'PENDING'
    order by created_at desc limit 1`;
  if (!delivery) throw new Error("the shop has no delivery to show");
  return { endpointId: production, deliveryId: delivery.id };
};
