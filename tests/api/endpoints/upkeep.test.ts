import { expect } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { deleteEndpoint } from "@/lib/outgoing/change-endpoint";
import { command } from "@/lib/workspaces/record-audit";
import { addEndpoint } from "../../support/receiver";
import { requestRows } from "../../support/request-rows";
import { sql } from "../../support/rows";
import { sweep } from "../../support/sweep";
import { test } from "../../support/test";
import { provisionWorkspace } from "../../support/workspace";

async function countOf(
  table: "webhook_endpoints" | "webhook_deliveries" | "api_requests",
  workspaceId: string,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${sql(table)} where workspace_id = ${workspaceId}`;
  return row?.count ?? -1;
}

/** Deliveries of so many days ago that wait, or were settled, for an endpoint that is paused. */
const addDeliveries = (workspaceId: string, endpointId: string, state: "PENDING" | "DELIVERED", days: number[]) => sql`
  insert into webhook_deliveries (
    workspace_id, id, endpoint_id, type, subject_id, sequence, snapshot, occurred_at, state, settled_at, created_at)
  select ${workspaceId}, 'whd_' || gen_random_uuid(), ${endpointId}, 'webhook.test', 'whd', 1, '{}', now(),
    ${state}::delivery_state, ${state === "PENDING" ? null : new Date().toISOString()},
    now() - make_interval(days => day::int)
  from json_array_elements_text(${JSON.stringify(days)}::text::json) as day`;

test("deliveries go when their workspace's days are over, and what waits stays for 30 days at least", async () => {
  const { workspaceId } = await provisionWorkspace();
  const { id } = await addEndpoint({ workspaceId }, { url: "https://partner.invalid/hook", mode: "live" });
  await sql`update webhook_endpoints set paused_at = now(), paused_by = 'member' where id = ${id}`;
  await sql`update workspaces set retention_days = 3 where id = ${workspaceId}`;
  await addDeliveries(workspaceId, id, "DELIVERED", [1, 2, 4, 5]);
  await addDeliveries(workspaceId, id, "PENDING", [1, 29, 31]);
  expect((await sweep()).status).toBe(200);
  expect(await countOf("webhook_deliveries", workspaceId)).toBe(4);
});

test("rows that someone holds are passed over: the others go, and the pass does not fail", async ({ workspace }) => {
  const { workspaceId } = workspace;
  for (let i = 0; i < 2; i++) await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
  await requestRows(workspace, 2);
  const { id } = await addEndpoint(workspace, { url: "https://partner.invalid/hook", mode: "live" });
  await sql`update workspaces set retention_days = 3 where id = ${workspaceId}`;
  await addDeliveries(workspaceId, id, "DELIVERED", [4, 5]);
  await sql`update api_requests set at = now() - interval '4 days' where workspace_id = ${workspaceId}`;
  await sql.begin(async (tx) => {
    for (const table of ["webhook_deliveries", "api_requests"] as const) {
      await tx`select from ${tx(table)} where workspace_id = ${workspaceId} limit 1 for update`;
    }
    expect((await sweep()).status).toBe(200);
  });
  expect(await countOf("webhook_deliveries", workspaceId)).toBe(1);
  expect(await countOf("api_requests", workspaceId)).toBe(1);
});

test("a deleted endpoint keeps its row for a day, and nothing of it after that", async () => {
  const { workspaceId } = await provisionWorkspace();
  const { id } = await addEndpoint({ workspaceId }, { url: "https://partner.invalid/hook", mode: "live" });
  await addDeliveries(workspaceId, id, "PENDING", [0]);
  await deleteEndpoint(provenWorkspaceId(workspaceId), id, command("test"));
  await sweep();
  expect(await countOf("webhook_endpoints", workspaceId)).toBe(1);
  await sql`update webhook_endpoints set deleted_at = now() - interval '25 hours' where id = ${id}`;
  await sweep();
  expect(await countOf("webhook_deliveries", workspaceId)).toBe(0);
  expect(await countOf("webhook_endpoints", workspaceId)).toBe(0);
});
