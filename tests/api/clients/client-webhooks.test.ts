import { describe, expect, test } from "vitest";
import { provenWorkspaceId } from "@/lib/core/principal";
import { rotateSecret, sendTestEvent } from "@/lib/outgoing/change-endpoint";
import { EVENTS } from "@/lib/outgoing/events/events";
import { command } from "@/lib/workspaces/record-audit";
import { verifyWebhook } from "../../../clients/typescript/src/switchboard";
import { callPython, PYTHON, pythonTitle } from "../../support/python";
import { addEndpoint, type Delivery, receiverOfTest } from "../../support/receiver";
import { noteSecrets } from "../../support/run-logs";
import { provisionWorkspace } from "../../support/workspace";

const within = { timeout: 20_000 };
const READ = { type: "text", phone: "447700900003", content: "Hi", idempotencyKey: "Zoë’s order ✓" };

/** What the gateway posts of a message and of a test event, before and while the endpoint's secret is rotated. */
async function deliveries(): Promise<{ received: Delivery[]; secrets: [former: string, current: string] }> {
  const partner = await receiverOfTest();
  const workspace = await provisionWorkspace({ mode: "test" });
  const workspaceId = provenWorkspaceId(workspace.workspaceId);
  const { id, secret } = await addEndpoint(workspace, partner);
  await workspace.send(READ);
  await expect.poll(() => partner.received.length, within).toBe(3);
  const rotated = await rotateSecret(workspaceId, { endpointId: id, overlap: "1h" }, command("test"));
  noteSecrets("a webhook secret", [rotated]);
  await sendTestEvent(workspaceId, id);
  await expect.poll(() => partner.received.length, within).toBe(4);
  return { received: partner.received, secrets: [secret, rotated] };
}

describe("a delivery of the gateway", () => {
  test("is as the document says, and is accepted under each secret of a rotation", async () => {
    const { received, secrets } = await deliveries();
    for (const [i, { body, headers, event }] of received.entries()) {
      const { schema } = EVENTS[i < 3 ? "message" : "test"];
      expect(schema.safeParse(event).error).toBeUndefined();
      const [former, current] = secrets;
      expect(await verifyWebhook(body, headers, former)).toEqual(event);
      const underNew = verifyWebhook(body, headers, current);
      if (i < 3) await expect(underNew).rejects.toMatchObject({ fault: "signature" });
      else expect(await underNew).toEqual(event);
    }
  });

  test.skipIf(!PYTHON)(pythonTitle("is accepted by the client in Python"), async () => {
    const { received, secrets } = await deliveries();
    const vectors = received.map(({ body, headers }, i) => ({ body, headers, secret: secrets[i < 3 ? 0 : 1] }));
    const verified = await callPython("verify_webhooks.py", vectors);
    expect(verified).toEqual(received.map(({ event }) => ({ event })));
  });
});
