import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { behaviourOf } from "@/lib/sandbox/recipients";
import { createSandbox, type SandboxEvent, type SandboxOptions } from "@/lib/sandbox/sandbox";
import { listenOnLoopback } from "../support/loopback";
import { LINE, send } from "../support/sandbox-requests";

const APP_SECRET = "a secret";

type Received = { raw: string; signature: string | undefined; contentType: string | undefined };

/** A real server that answers `statuses` in turn, then 200. */
const listen = async (statuses: number[] = []) => {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request.setEncoding("latin1")) raw += chunk;
    received.push({
      raw,
      signature: request.headersDistinct["x-hub-signature-256"]?.[0],
      contentType: request.headers["content-type"],
    });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return { received, url: `${url}/webhook` };
};

const sandboxFor = (url: string | undefined, more: Partial<SandboxOptions> = {}) =>
  createSandbox({
    webhook: url ? { url, appSecret: APP_SECRET } : undefined,
    templates: async () => [],
    acceptUnknownTemplates: true,
    delaysMs: { sent: 5, delivered: 25, read: 45 },
    retryBaseMs: 1,
    ...more,
  });

const testNumber = (suffix: string) => `447700900${suffix}`;
const changeOf = ({ raw }: Received) => JSON.parse(raw).entry[0].changes[0].value;
const statusOf = (webhook: Received) => changeOf(webhook).statuses[0];

/** What follows a send to `to`: the webhooks and their status words, in order of arrival. */
const statusesAfter = async (to: string, { more = {}, answers, ...options }: Given = {}) => {
  const { url, received } = await listen(answers);
  const sandbox = sandboxFor(url, options);
  const response = await sandbox.handle(send(to, more));
  await sandbox.idle();
  return { response, received, words: received.map((webhook) => statusOf(webhook).status) };
};
/** Of the sandbox, of what is sent, and of the server that its webhooks reach. */
type Given = Partial<SandboxOptions> & { more?: object; answers?: number[] };

describe("status webhooks", () => {
  test("echo the message id, the callback data and the line; pricing comes with the status, contacts beside it", async () => {
    const { url, received } = await listen();
    const sandbox = sandboxFor(url, { businessAccountOf: async () => "102200001" });
    const answer = await (await sandbox.handle(send(testNumber("001"), { biz_opaque_callback_data: "msg_01" }))).json();
    await sandbox.idle();
    const status = {
      id: answer.messages[0].id,
      status: "sent",
      timestamp: expect.stringMatching(/^\d{10}$/),
      recipient_id: testNumber("001"),
      biz_opaque_callback_data: "msg_01",
      pricing: { billable: false, pricing_model: "PMP", type: "free_customer_service", category: "service" },
    };
    const value = {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "442079460001", phone_number_id: LINE },
      contacts: [{ profile: { name: "Zoë Test" }, wa_id: testNumber("001") }],
      statuses: [status],
    };
    const entry = [{ id: "102200001", changes: [{ field: "messages", value }] }];
    expect(JSON.parse(received[0]?.raw ?? "")).toEqual({ object: "whatsapp_business_account", entry });
  });

  test("are ASCII with lower-case escapes, signed over exactly the bytes that were sent", async () => {
    const { received } = await statusesAfter(testNumber("001"));
    const [webhook] = received;
    expect(webhook?.raw).toContain("Zo\\u00eb Test");
    expect(webhook?.contentType).toBe("application/json");
    const expected = createHmac("sha256", APP_SECRET)
      .update(Buffer.from(webhook?.raw ?? "", "latin1"))
      .digest("hex");
    expect(webhook?.signature).toBe(`sha256=${expected}`);
  });

  test("an emoji in the callback data becomes two escapes and reads back unchanged", async () => {
    const { received } = await statusesAfter(testNumber("001"), { more: { biz_opaque_callback_data: "🙂" } });
    expect(received[0]?.raw).toContain('"\\ud83d\\ude42"');
    expect(received.map((webhook) => statusOf(webhook).biz_opaque_callback_data)).toEqual(["🙂"]);
  });

  test("are tried again until the answer is 200, and the next status waits for it", async () => {
    const { words } = await statusesAfter(testNumber("002"), { answers: [503, 202, 500] });
    expect(words).toEqual(["sent", "sent", "sent", "sent", "delivered"]);
  });

  test("are given up after five tries, and the next status is still reported", async () => {
    const events: SandboxEvent[] = [];
    const log = (event: SandboxEvent) => events.push(event);
    const { words } = await statusesAfter(testNumber("002"), { answers: [500, 500, 500, 500, 500], log });
    expect(words).toEqual([...Array(5).fill("sent"), "delivered"]);
    expect(events.filter((event) => event.kind === "webhook" && event.answer === 500)).toHaveLength(5);
  });

  test("to a user id name the user and no number", async () => {
    const { received } = await statusesAfter("1", { more: { to: undefined, recipient: "GB.1349120" } });
    const [webhook] = received.map((one) => statusOf(one));
    expect(webhook.recipient_user_id).toBe("GB.1349120");
    expect(webhook).not.toHaveProperty("recipient_id");
  });

  test("are handed to the host as background work", async () => {
    const { url, received } = await listen();
    const work: Promise<unknown>[] = [];
    const sandbox = sandboxFor(url, { background: (promise) => work.push(promise) });
    await sandbox.handle(send(testNumber("001")));
    await Promise.all(work);
    expect(received).toHaveLength(1);
  });
});

describe("recipients: 200", () => {
  test.each([
    ["001", "sent"],
    ["002", "sent delivered"],
    ["003", "sent delivered read"],
    ["004", "sent read"],
    ["005", "read delivered sent"],
    ["006", "sent sent sent delivered delivered delivered read read read"],
    ["008", "sent delivered read"],
    ["009", "failed delivered"],
    ["299", "sent delivered read"],
    ["777", "sent delivered read"],
  ])("%s is reported as: %s", async (suffix, words) => {
    expect((await statusesAfter(testNumber(suffix))).words.join(" ")).toBe(words);
  });

  test("a number outside the test block is sent, delivered and read", async () => {
    expect((await statusesAfter("4915112345678")).words).toEqual(["sent", "delivered", "read"]);
  });

  test.each([
    ["126", 131026],
    ["142", 131042],
    ["147", 131047],
    ["149", 131049],
    ["150", 131050],
    ["199", 199999],
  ])("%s is accepted and fails by webhook with %i, without pricing and contacts", async (suffix, code) => {
    const { received, response } = await statusesAfter(testNumber(suffix));
    expect(response.status).toBe(200);
    expect(received).toHaveLength(1);
    const [value] = received.map(changeOf);
    expect(value).not.toHaveProperty("contacts");
    expect(value.statuses[0]).not.toHaveProperty("pricing");
    const words = expect.any(String);
    const error = { code, title: words, message: words, error_data: { details: words } };
    expect(value.statuses[0]).toMatchObject({ status: "failed", errors: [error] });
  });

  test("reversed webhooks carry the times at which things happened, not those at which they were reported", async () => {
    const delaysMs = { sent: 0, delivered: 1_000, read: 2_000 };
    const { received } = await statusesAfter(testNumber("005"), { delaysMs });
    const [read, delivered, sent] = received.map((webhook) => Number(statusOf(webhook).timestamp));
    expect(read).toBeGreaterThan(delivered ?? 0);
    expect(delivered).toBeGreaterThan(sent ?? 0);
  });

  test("008's first webhook arrives before the answer", async () => {
    const { url, received } = await listen();
    const sandbox = sandboxFor(url);
    await sandbox.handle(send(testNumber("008")));
    expect(received).toHaveLength(1);
    await sandbox.idle();
  });

  test("007 is delivered after 60 s; 504 is answered after 12 s", () => {
    expect(behaviourOf(testNumber("007")).steps.map(({ at }) => at)).toEqual(["sent", 60_000]);
    expect(behaviourOf(testNumber("504")).answer).toEqual({ kind: "accepted", afterMs: 12_000 });
  });

  test("299's body cannot be parsed", async () => {
    const { response } = await statusesAfter(testNumber("299"));
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow();
  });
});

describe("recipients: refused", () => {
  test.each([
    ["100", 400, 100],
    ["190", 401, 190],
    ["200", 400, 132000],
    ["201", 404, 132001],
    ["205", 400, 132005],
    ["212", 400, 132012],
    ["215", 400, 132015],
    ["216", 400, 132016],
    ["256", 400, 131056],
    ["229", 400, 130429],
    ["231", 403, 131031],
  ])("%s is answered %i with code %i and no webhook", async (suffix, status, code) => {
    const { response, received } = await statusesAfter(testNumber(suffix));
    expect(response.status).toBe(status);
    expect((await response.json()).error.code).toBe(code);
    expect(received).toHaveLength(0);
  });

  test("502 is a page, not JSON, and nothing follows", async () => {
    const { response, received } = await statusesAfter(testNumber("502"));
    expect(response.status).toBe(502);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(received).toHaveLength(0);
  });

  test("a test number does not excuse a faulty message", async () => {
    const response = await sandboxFor(undefined).handle(send(testNumber("001"), { text: {} }));
    expect((await response.json()).error.code).toBe(131008);
  });
});
