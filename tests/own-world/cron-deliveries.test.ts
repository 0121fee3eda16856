import { afterAll, beforeAll, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/workspace-id";
import { replayDeliveries } from "@/lib/outgoing/replay-deliveries";
import { sendTestEvent } from "@/lib/outgoing/send-test-event";
import { command } from "@/lib/workspaces/author";
import { startOwnDatabase } from "../support/own-database";
import { addEndpoint, startReceiver } from "../support/receiver";
import { onRows } from "../support/rows";
import { sweep } from "../support/sweep";
import { provisionWorkspace } from "../support/workspace";

// As on Vercel: no process outlives its request, and the only server of this database delivers in the cron job alone.
let own: Awaited<ReturnType<typeof startOwnDatabase>>;
beforeAll(async () => {
  own = await startOwnDatabase({ VERCEL: "1" }, "API");
});
afterAll(() => own.stop());

test("one run of the cron job delivers what is due and ends; what failed waits for a later run", async () => {
  let isUp = false;
  const partner = await startReceiver((_, response) => response.writeHead(isUp ? 200 : 500).end());
  const workspace = await provisionWorkspace({ mode: "test" });
  const workspaceId = provenWorkspaceId(workspace.workspaceId);
  const { id: endpointId } = await addEndpoint(workspace, partner);
  await sendTestEvent(workspaceId, endpointId);
  expect((await sweep()).status).toBe(200);
  expect(partner.received).toHaveLength(1);
  isUp = true;
  for (let i = 0; i < 40; i++) await sendTestEvent(workspaceId, endpointId);
  await onRows((sql) => sql`update webhook_deliveries set next_attempt_at = now()`);
  expect((await sweep()).status).toBe(200);
  expect(partner.received).toHaveLength(42);
  const states = await onRows(
    (sql) => sql`select state, count(*)::int as count from webhook_deliveries group by state order by state`,
  );
  expect(states.map((row) => ({ ...row }))).toEqual([{ state: "DELIVERED", count: 41 }]);
  const range = { since: new Date(Date.now() - 60_000), until: new Date(), isFailedOnly: false };
  expect(await replayDeliveries(workspaceId, { endpointId, ...range }, command("test"))).toBe(41);
  expect((await sweep()).status).toBe(200);
  expect(partner.received).toHaveLength(83);
  await partner.stop();
}, 90_000);
