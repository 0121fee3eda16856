import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { verifyWebhook } from "../../clients/typescript/src/switchboard";
import { WEBHOOK_SECRET, webhookVectors } from "../support/webhook-vectors";

const EVENT_AT_LIMIT = JSON.stringify({ type: "message.sent", data: {} });

const headersAt = (at: Date, body: string) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
  "webhook-signature": new Webhook(WEBHOOK_SECRET).sign("evt_1", at, body),
});

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

  test("takes an attempt exactly as long as the reference implementation, in both directions", async () => {
    const body = EVENT_AT_LIMIT;
    const signedAt = new Date("2026-11-27T12:00:00Z");
    const headers = headersAt(signedAt, body);
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const offsetMs of [-300_001, -300_000, -1, 0, 299_999, 300_000, 300_001, 300_999, 301_000]) {
      vi.setSystemTime(signedAt.getTime() + offsetMs);
      const reference = await Promise.resolve()
        .then(() => new Webhook(WEBHOOK_SECRET).verify(body, headers))
        .then(
          () => "taken",
          () => "refused",
        );
      const own = await verifyWebhook(body, headers, WEBHOOK_SECRET).then(
        () => "taken",
        () => "refused",
      );
      expect([offsetMs, own]).toEqual([offsetMs, reference]);
    }
  });

  test("takes an older attempt where the tolerance is longer", async () => {
    const [{ body } = { body: "" }] = webhookVectors();
    const at = new Date(Date.now() - 900_000);
    const headers = headersAt(at, body);
    await expect(verifyWebhook(body, headers, WEBHOOK_SECRET)).rejects.toMatchObject({ fault: "timestamp" });
    expect(await verifyWebhook(body, headers, WEBHOOK_SECRET, { toleranceSeconds: 1_000 })).toEqual(JSON.parse(body));
  });
});
