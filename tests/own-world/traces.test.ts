import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attributesOf, type SeenSpan, startCollector } from "../support/collector";
import { createDatabase } from "../support/databases";
import { forSuite } from "../support/for-suite";
import { startOver } from "../support/own-database";
import { addEndpoint, startReceiver, verified } from "../support/receiver";
import { expectSent, PHONE } from "../support/sends";
import { provisionWorkspace, type TestWorkspace } from "../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const SEND_ROUTE = "/api/v1/public/messages/send";
const SEEN = { timeout: 20_000 };
/** A tenth of the usual, which a tenth of the sends fills. */
const SHORT_QUEUE = { OTEL_BSP_MAX_QUEUE_SIZE: "200", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "50" };

const collector = forSuite(startCollector);
const partner = forSuite(() => startReceiver());
const database = forSuite(() => createDatabase({ isMigrated: true }).then((made) => ({ ...made, stop: made.drop })));
let instance: Awaited<ReturnType<typeof startOver>>;
let workspace: TestWorkspace;

const start = async (settings: Record<string, string> = {}) => {
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector",
    OTEL_BSP_SCHEDULE_DELAY: "200",
    ...SHORT_QUEUE,
    WEBHOOK_ALLOW: `127.0.0.1:${partner.port}`,
    ...settings,
  };
  instance = await startOver(database.url, tracing, "API");
  workspace = await provisionWorkspace();
};
beforeAll(() => start());
afterAll(() => instance.stop());

/** Each span reads the machine's clock at its start, which is set right between two of them on some machines. */
const CLOCK_STEP_NS = 100_000_000n;

/** The spans of a call, once its own is there: it ends last. */
const spansOf = async (requestId: unknown): Promise<{ call: SeenSpan; parts: SeenSpan[] }> => {
  const find = () => collector.spans().find((span) => attributesOf(span)["switchboard.request_id"] === requestId);
  await expect.poll(find, SEEN).toBeDefined();
  const call = find() as SeenSpan;
  return { call, parts: collector.spans().filter(({ parentSpanId }) => parentSpanId === call.spanId) };
};

const isTraced = (messageId: string): boolean =>
  collector.spans().some((span) => attributesOf(span)["switchboard.message_id"] === messageId);

const requestLine = ({ logFile }: { logFile: string }, requestId: unknown): Record<string, unknown> | undefined =>
  readFileSync(logFile, "utf8")
    .split("\n")
    .filter((line) => line.includes('"event":"request"') && line.includes(`"${requestId}"`))
    .map((line) => JSON.parse(line))[0];

describe("a send with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  test("is one trace, below the caller's span: edge, claim, WhatsApp, settle; with its ids in the log", async () => {
    const sent = await workspace.send(TEXT, { traceparent: `00-${TRACE}-${SPAN}-01` });
    expectSent(sent);
    const requestId = sent.headers.get("x-request-id");
    const { call, parts } = await spansOf(requestId);
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, name: `POST ${SEND_ROUTE}`, kind: 2 });
    expect(attributesOf(call)).toEqual({
      "http.request.method": "POST",
      "http.response.status_code": 201,
      "http.route": SEND_ROUTE,
      "switchboard.message_id": sent.body.data.id,
      "switchboard.request_id": requestId,
    });
    const inOrder = parts.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
    expect(inOrder.map(({ name }) => name)).toEqual(["edge", "claim", "whatsapp", "settle"]);
    for (const [index, part] of inOrder.entries()) {
      expect(part.traceId).toBe(TRACE);
      const before = inOrder[index - 1]?.endTimeUnixNano ?? call.startTimeUnixNano;
      expect(BigInt(part.startTimeUnixNano) + CLOCK_STEP_NS).toBeGreaterThanOrEqual(BigInt(before));
      expect(BigInt(part.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(call.endTimeUnixNano) + CLOCK_STEP_NS);
    }
    await expect
      .poll(() => requestLine(instance, requestId))
      .toMatchObject({ traceId: TRACE, spanId: call.spanId, messageId: sent.body.data.id });
    const [first] = collector.exports;
    expect(first).toMatchObject({ path: "/v1/traces", authorization: "Bearer collector" });
    expect(attributesOf(first?.body.resourceSpans[0]?.resource ?? { attributes: [] })["service.name"]).toBe(
      "switchboard",
    );
  });

  test("takes its trace to the partner's endpoint, in a signed delivery with a span of its own", async () => {
    const { secret } = await addEndpoint(workspace, { url: partner.url, mode: "live" });
    const sent = await workspace.send(TEXT, { traceparent: `00-${TRACE}-${SPAN}-01` });
    const { call } = await spansOf(sent.headers.get("x-request-id"));
    const delivered = () => partner.received.find(({ event }) => event.data.id === sent.body.data.id);
    await expect.poll(delivered, SEEN).toBeDefined();
    const delivery = delivered();
    if (!delivery) throw new Error("polled above");
    verified(delivery, secret);
    const find = () =>
      collector.spans().find(({ name, parentSpanId }) => name === "deliver" && parentSpanId === call.spanId);
    await expect.poll(find, SEEN).toBeDefined();
    expect(delivery.headers.traceparent).toBe(`00-${TRACE}-${find()?.spanId}-01`);
  });

  test.each([
    "",
    "00",
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    "x".repeat(4_000),
  ])("begins a trace of its own where `traceparent` is %j", async (traceparent) => {
    const sent = await workspace.send(TEXT, { traceparent, tracestate: "a=b,".repeat(500) });
    expectSent(sent);
    const { call } = await spansOf(sent.headers.get("x-request-id"));
    expect(call.traceId).not.toBe(TRACE);
    expect(call.parentSpanId).toBeUndefined();
  });

  test("keeps to the caller's decision not to trace, which the partner gets, too", async () => {
    const sent = await workspace.send(TEXT, { traceparent: `00-${TRACE}-${SPAN}-00` });
    expectSent(sent);
    const delivered = () => partner.received.find(({ event }) => event.data.id === sent.body.data.id);
    await expect.poll(delivered, SEEN).toBeDefined();
    expect(delivered()?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    const after = await workspace.send(TEXT);
    await spansOf(after.headers.get("x-request-id"));
    expect(isTraced(sent.body.data.id)).toBe(false);
  });

  test("no span holds a key, a number or a text; a refusal has its code", async () => {
    const unknown = { apiKey: workspace.apiKey, apiSecret: "sk_live_wrong" };
    const refused = await workspace.call("POST", SEND_ROUTE, { body: TEXT, key: unknown });
    expect(refused.status).toBe(401);
    const { call, parts } = await spansOf(refused.headers.get("x-request-id"));
    expect(attributesOf(call)).toMatchObject({ "http.response.status_code": 401, "error.type": "UNAUTHORIZED" });
    expect(parts.map(({ name }) => name)).toEqual(["edge"]);
    const all = JSON.stringify(collector.exports.map(({ body }) => body));
    for (const secret of [workspace.apiKey, workspace.apiSecret, PHONE, TEXT.content])
      expect(all).not.toContain(secret);
  });
});

describe("a collector", () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ["hangs", () => undefined],
    ["refuses", (response) => void response.writeHead(400).end()],
    ["cuts connections", (response) => void response.destroy()],
  ])("that %s costs no send its answer, and gets spans again later", async (_, answer) => {
    collector.answerWith(answer);
    // More spans than may wait: five for each send.
    for (let round = 0; round < 4; round++) {
      const sent = await Promise.all(Array.from({ length: 20 }, () => workspace.send(TEXT)));
      for (const one of sent) expectSent(one);
    }
    collector.answerWith();
    await expect
      .poll(async () => {
        const { body } = await workspace.send(TEXT);
        await sleep(500);
        return isTraced(body.data.id);
      }, SEEN)
      .toBe(true);
  });

  test("that is away for long is in the log", () => {
    expect(readFileSync(instance.logFile, "utf8")).toContain('"event":"traces.lost"');
  });

  test("gets at SIGTERM what waits; one that hangs then delays the exit by 2 s at most", async () => {
    await instance.stop();
    await start({ OTEL_BSP_SCHEDULE_DELAY: "60000" });
    const sent = await workspace.send(TEXT);
    const isSeen = () => isTraced(sent.body.data.id);
    expect(isSeen()).toBe(false);
    await instance.stop();
    expect(isSeen()).toBe(true);

    await start();
    collector.answerWith(() => undefined);
    expectSent(await workspace.send(TEXT));
    const stoppedAtMs = performance.now();
    await instance.stop();
    expect(performance.now() - stoppedAtMs).toBeLessThan(6_000);
  });
});
