import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { failureOf, TESTED_CLIENTS } from "../../support/clients";
import { listenOnLoopback } from "../../support/loopback";
import { fromOwnAddress } from "../../support/own-address";
import { ORDER, templateRecord } from "../../support/template-records";
import { provisionWorkspace, type TestWorkspace, type WorkspaceOptions } from "../../support/workspace";

const TEXT = { type: "text", phone: "447700900003", content: "Hi" } as const;

/** A workspace, and the settings of a client that calls from its address. */
async function scene(options: WorkspaceOptions) {
  const workspace: TestWorkspace = await provisionWorkspace(options);
  const { url } = await fromOwnAddress(workspace);
  const { apiKey, apiSecret } = workspace;
  return { workspace, settings: { origin: url, apiKey, apiSecret } };
}

describe.each(TESTED_CLIENTS)("the client in $name", ({ client, isSkipped }) => {
  const it = test.skipIf(isSkipped);

  it("sends a message, waits for it and reads it", async () => {
    const { settings } = await scene({ mode: "test" });
    const sent = await client.send(settings, TEXT);
    expect(sent).toMatchObject({ status: "SENT", idempotentReplay: false });
    const { message, seen } = await client.waitFor(settings, sent.id, { until: "READ", timeoutSeconds: 20 });
    expect(message).toMatchObject({ id: sent.id, status: "READ" });
    expect(seen.at(-1)).toBe("READ");
    expect(await client.getMessage(settings, sent.id)).toEqual(message);
  });

  it("ends a wait at a failure, and at its time with the message as it is then", async () => {
    const { settings } = await scene({ mode: "test" });
    const [failing, silent] = await Promise.all([
      client.send(settings, { ...TEXT, phone: "447700900126" }),
      client.send(settings, { ...TEXT, phone: "447700900001" }),
    ]);
    const [failed, waiting] = await Promise.all([
      client.waitFor(settings, failing.id, { until: "DELIVERED", timeoutSeconds: 30 }),
      client.waitFor(settings, silent.id, { until: "DELIVERED", timeoutSeconds: 6 }),
    ]);
    expect(failed.message).toMatchObject({ status: "FAILED", failureReason: expect.stringMatching(/^131026: /) });
    expect([waiting.message.status, waiting.seen.length]).toEqual(["SENT", 5]);
  });

  it("sends a template, and lists templates over all their pages", async () => {
    const many = Array.from({ length: 101 }, (_, i) => templateRecord(`many_${i}`, ORDER.components));
    const { settings } = await scene({ templates: [ORDER, ...many] });
    const names = (await client.listTemplates(settings, { language: "en_US" })).map(({ name }) => name);
    expect([new Set(names).size, names.length]).toEqual([102, 102]);
    expect(await client.listTemplates(settings, { name: ORDER.name })).toHaveLength(1);
    const sent = await client.send(settings, {
      type: "template",
      phone: TEXT.phone,
      templateName: ORDER.name,
      templateVariables: { "1": "Zoë", "2": "8812" },
    });
    expect(sent.status).toBe("SENT");
  });

  it("reports everything that a refusal says", async () => {
    const { workspace, settings } = await scene({ mode: "test" });
    const failure = await failureOf(client.send(settings, { ...TEXT, phone: "not a number" }));
    expect(failure).toMatchObject({
      name: "ValidationError",
      code: "VALIDATION_ERROR",
      status: 400,
      message: expect.stringContaining("not a number"),
      details: { field: "phone", docsUrl: `${workspace.baseUrl}/docs/errors/VALIDATION_ERROR` },
    });
  });

  it("leaves an empty idempotency key to the API, which refuses it: a random one would send twice", async () => {
    const { settings } = await scene({ mode: "test" });
    const refused = { name: "ValidationError", details: { field: "idempotencyKey" } };
    expect(await failureOf(client.send(settings, TEXT, ""))).toMatchObject(refused);
    expect(await failureOf(client.send(settings, { ...TEXT, idempotencyKey: "" }))).toMatchObject(refused);
  });

  it("names an address where nothing listens, where a send was not sent", async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    const settings = { origin, apiKey: "pk_test_a", apiSecret: "sk_test_a", maxRetries: 0 };
    const failure = await failureOf(client.getMessage(settings, "msg_1"));
    expect(failure).toMatchObject({ name: "NoResponseError", status: undefined });
    expect(failure.message).toContain(`${origin}/api/v1/public/messages/msg_1`);
    for (const away of [origin, "http://nowhere.invalid"]) {
      const unsent = client.send({ ...settings, origin: away, maxRetries: 1 }, TEXT, "order-1");
      expect(await failureOf(unsent)).toMatchObject({ outcome: "not_sent", idempotencyKey: "order-1" });
    }
  });

  it("may have sent what it began to, also where nothing listens any more when it is repeated", async () => {
    const gateway = createServer(({ socket }) => {
      gateway.close();
      socket.resetAndDestroy();
    });
    const { url: origin } = await listenOnLoopback(gateway);
    const settings = { origin, apiKey: "pk_test_a", apiSecret: "sk_test_a", maxRetries: 1 };
    expect(await failureOf(client.send(settings, TEXT))).toMatchObject({ name: "NoResponseError", outcome: "unknown" });
  });
});
