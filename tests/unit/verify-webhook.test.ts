import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verifyWebhook } from "../../clients/typescript/src/switchboard";
import { WEBHOOK_SECRET, webhookVectors } from "../support/webhook-vectors";

describe("verifyWebhook", () => {
  test.each(webhookVectors().map(({ name }, at) => [name, at] as const))("%s", async (_, at) => {
    const { body = "", headers = {}, secret, fault } = webhookVectors()[at] ?? {};
    const verified = verifyWebhook(body, headers, secret);
    if (fault === null) expect(await verified).toEqual(JSON.parse(body));
    else await expect(verified).rejects.toMatchObject({ name: "WebhookVerificationError", fault });
  });

  test("takes bytes or their buffer, and the headers of a Request or of Node", async () => {
    const [{ body, headers } = { body: "", headers: {} }] = webhookVectors();
    const event = JSON.parse(body);
    expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), WEBHOOK_SECRET)).toEqual(event);
    const buffer = await new Response(body).arrayBuffer();
    expect(await verifyWebhook(buffer, new Headers(headers), WEBHOOK_SECRET)).toEqual(event);
    const own = new Headers(headers);
    const ofAnotherRealm = { get: (name: string) => own.get(name) } as Headers;
    expect(await verifyWebhook(body, ofAnotherRealm, WEBHOOK_SECRET)).toEqual(event);
    const ofNode = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    expect(await verifyWebhook(Buffer.from(body), ofNode, WEBHOOK_SECRET)).toEqual(event);
  });

  test("names the secret where the environment holds none", async () => {
    const [{ body, headers } = { body: "", headers: {} }] = webhookVectors();
    const verified = verifyWebhook(body, headers, process.env.NO_SUCH_SECRET);
    const message = expect.stringMatching(/^The secret is missing: /);
    await expect(verified).rejects.toMatchObject({ fault: "secret", message });
  });

  test("takes an older attempt where the tolerance is longer", async () => {
    const [{ body } = { body: "" }] = webhookVectors();
    const at = new Date(Date.now() - 900_000);
    const signature = new Webhook(WEBHOOK_SECRET).sign("evt_1", at, body);
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
      "webhook-signature": signature,
    };
    await expect(verifyWebhook(body, headers, WEBHOOK_SECRET)).rejects.toMatchObject({ fault: "timestamp" });
    expect(await verifyWebhook(body, headers, WEBHOOK_SECRET, { toleranceSeconds: 1_000 })).toEqual(JSON.parse(body));
  });
});
