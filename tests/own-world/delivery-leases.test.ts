import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/workspace-id";
import { sendTestEvent } from "@/lib/outgoing/send-test-event";
import { startInstance } from "../support/environment";
import { startOwnDatabase } from "../support/own-database";
import { addEndpoint, startReceiver } from "../support/receiver";
import { onRows } from "../support/rows";
import { provisionWorkspace } from "../support/workspace";

// Two servers on one database: each delivers.
let own: Awaited<ReturnType<typeof startOwnDatabase>>;
let first: Awaited<ReturnType<typeof startInstance>>;
let second: Awaited<ReturnType<typeof startInstance>>;
beforeAll(async () => {
  own = await startOwnDatabase({ VERCEL: "1" }, "API");
  // The server of the database delivers in the cron job alone; these two are the ones that deliver.
  [first, second] = await Promise.all([startInstance({ VERCEL: "" }, "API"), startInstance({ VERCEL: "" }, "API")]);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await own.stop();
});

const attempts = (endpointId: string) =>
  onRows(
    (sql) => sql<{ attempts: number; state: string }[]>`
      select attempts, state from webhook_deliveries where endpoint_id = ${endpointId} order by position`,
  );

test("what a server has under way for longer than its lease is not sent by another", async () => {
  const partner = await startReceiver((_, response) => setTimeout(() => response.writeHead(204).end(), 12_000));
  const { workspaceId } = await provisionWorkspace({ mode: "test" });
  const { id } = await addEndpoint({ workspaceId }, partner);
  for (let i = 0; i < 6; i++) await sendTestEvent(provenWorkspaceId(workspaceId), id);
  const delivered = Array(6).fill({ attempts: 1, state: "DELIVERED" });
  await expect
    .poll(async () => (await attempts(id)).map((row) => ({ ...row })), { timeout: 60_000, interval: 500 })
    .toEqual(delivered);
  expect(partner.received).toHaveLength(6);
  await partner.stop();
}, 90_000);

test("what a server that was killed had under way is sent by another before any retry would be", async () => {
  let isHanging = true;
  const partner = await startReceiver((_, response) => isHanging || response.writeHead(204).end());
  const { workspaceId } = await provisionWorkspace({ mode: "test" });
  const { id } = await addEndpoint({ workspaceId }, partner);
  process.kill(second.pid, "SIGSTOP");
  for (let i = 0; i < 4; i++) await sendTestEvent(provenWorkspaceId(workspaceId), id);
  await expect.poll(() => partner.received.length, { timeout: 10_000 }).toBe(4);
  isHanging = false;
  process.kill(first.pid, "SIGKILL");
  process.kill(second.pid, "SIGCONT");
  // A lease of 45 s would not be over yet; how long it takes to the tenth of a second is the machine's affair.
  await expect.poll(() => partner.received.length, { timeout: 20_000 }).toBe(8);
  await sleep(500);
  expect((await attempts(id)).map((row) => ({ ...row }))).toEqual(Array(4).fill({ attempts: 2, state: "DELIVERED" }));
  await partner.stop();
}, 60_000);
