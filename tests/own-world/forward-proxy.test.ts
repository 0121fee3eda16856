import { expect, test } from "vitest";
import { testServers } from "../support/environment";
import { forSuite } from "../support/for-suite";
import { startForwardProxy } from "../support/forward-proxy";
import { startOwnDatabase } from "../support/own-database";
import { addEndpoint, startReceiver } from "../support/receiver";
import { expectError, expectSent, PHONE } from "../support/sends";
import { provisionWorkspace } from "../support/workspace";

// Names that only the proxy knows: what is answered went through it.
const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const proxy = forSuite(startForwardProxy);
const partner = forSuite(() => startReceiver());
const platformPort = new URL(testServers().platformUrl).port;
forSuite(() => {
  const settings = {
    HTTP_PROXY: proxy.url,
    NO_PROXY: "direct.test",
    WHATSAPP_GRAPH_URL: `http://graph.test:${platformPort}`,
    WEBHOOK_ALLOW: `partner.test:${partner.port},direct.test:${partner.port},127.0.0.1:${partner.port}`,
  };
  return startOwnDatabase(settings, "API");
});
const workspace = forSuite(() => provisionWorkspace());

test("HTTP_PROXY carries sends to WhatsApp and events to partners", async () => {
  await addEndpoint(workspace, { url: `http://partner.test:${partner.port}/hook`, mode: "live" });
  const sent = await workspace.send(TEXT);
  expectSent(sent);
  await expect.poll(() => partner.eventsOf(sent.body.data.id), { timeout: 10_000 }).not.toHaveLength(0);
  expect(new Set(proxy.asked)).toEqual(new Set([`graph.test:${platformPort}`, `partner.test:${partner.port}`]));
});

test("loopback and the hosts of NO_PROXY are called directly", async () => {
  const other = await provisionWorkspace();
  await addEndpoint(other, { url: `http://127.0.0.1:${partner.port}/hook`, mode: "live" });
  await addEndpoint(other, { url: `http://direct.test:${partner.port}/hook`, mode: "live" });
  const sent = await other.send(TEXT);
  expectSent(sent);
  await expect.poll(() => partner.eventsOf(sent.body.data.id), { timeout: 10_000 }).not.toHaveLength(0);
  expect(proxy.asked.filter((target) => !/^(graph|partner)\.test:/.test(target))).toEqual([]);
});

test("a proxy that refuses the tunnel has let nothing through: not_sent, and the same key sends later", async () => {
  proxy.refuse(true);
  const key = { "Idempotency-Key": "tunnel" };
  const refused = await workspace.send(TEXT, key);
  expectError(refused, {
    status: 502,
    error: "CHAT_GRAPH_ERROR",
    message: expect.stringContaining("PROXY_REFUSED"),
    details: { outcome: "not_sent", messageId: expect.any(String), retryable: true, retryAfterSeconds: 5 },
  });
  proxy.refuse(false);
  expectSent(await workspace.send(TEXT, key));
});
