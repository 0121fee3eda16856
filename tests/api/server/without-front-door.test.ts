import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { expectApiHeaders } from "../../support/edge-headers";
import { forSuite } from "../../support/for-suite";
import { awayFromWindowEdge, freshAddress } from "../../support/limits";
import { type Environment, type Program, serverEnvironment, startProgram } from "../../support/programs";
import { head, rawRequest } from "../../support/raw-http";
import { expectError, expectInvalid, expectSent, PHONE } from "../../support/sends";
import { signIn } from "../../support/session";
import { postWebhook, provisionWorkspace, request, statusWebhook, type TestWorkspace } from "../../support/workspace";

// Next by itself, as a host without our server runs it: the routes and proxy.ts must hold alone.
let baseUrl: string;
let server: Program;
let workspace: TestWorkspace;

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://localhost:${port}`;
  server = await startNext(port, { APP_URL: baseUrl, PUBLIC_API_IP_RATE_LIMIT: "1000000" });
  workspace = await provisionWorkspace();
  // Its first call loads the routes, which takes seconds beside other test files; the tests are about what it answers.
  await call("POST", "/api/v1/public/messages/send", {}, TEXT);
});
afterAll(async () => {
  server.signal("SIGTERM");
  await server.exited;
});

async function startNext(port: number, changes: Environment): Promise<Program> {
  const program = startProgram(
    ["node_modules/next/dist/bin/next", "start", "-p", `${port}`],
    serverEnvironment(changes),
  );
  await program.says("Ready in");
  return program;
}

function call(method: string, path: string, headers: Record<string, string>, body?: string) {
  const { apiKey, apiSecret } = workspace;
  const json = body === undefined ? {} : { body };
  return request(method, `${baseUrl}${path}`, {
    ...json,
    headers: { apiKey, apiSecret, "Content-Type": "application/json", ...headers },
  });
}

const TEXT = JSON.stringify({ type: "text", phone: PHONE, content: "Hi" });

const MADE_UP: Record<string, string>[] = [
  { RSC: "1" },
  { RSC: "1", "Next-Router-Prefetch": "1" },
  { RSC: "1", "Next-Router-State-Tree": "x", "Next-Url": "/dashboard" },
  { RSC: "1", "Next-Router-Segment-Prefetch": "/_tree" },
  { "Next-Action": "x" },
  { "X-Nextjs-Data": "1" },
  { "X-Middleware-Prefetch": "1" },
  { "X-Middleware-Subrequest": "proxy:proxy:proxy:proxy:proxy" },
  { "X-Middleware-Rewrite": "/docs", "X-Matched-Path": "/docs", "X-Invoke-Path": "/docs", "X-Invoke-Status": "500" },
  { "X-Switchboard-Method": "DELETE", "X-Switchboard-Refusal": "NOT_FOUND x", "X-Switchboard-Socket-Address": "::1" },
];

describe("the framework's headers change no answer of the API", () => {
  test.each(MADE_UP)("%j", async (headers) => {
    expectSent(await call("POST", "/api/v1/public/messages/send", headers, TEXT));
    expect((await call("GET", "/api/v1/public/templates", headers)).body).toEqual({
      success: true,
      data: { templates: [] },
    });
    const unknown = await call("GET", "/api/nothing", headers);
    expectError(unknown, { status: 404, error: "NOT_FOUND", details: { retryable: false } });
    const stranger = await call("GET", "/api/v1/public/templates", { ...headers, apiSecret: "wrong" });
    expectError(stranger, { status: 401, error: "UNAUTHORIZED", details: { retryable: false } });
    for (const answer of [unknown, stranger]) expectApiHeaders(answer);
  });
});

describe("a webhook", () => {
  test.each<[string, Record<string, string>, () => string]>([
    ["a status", {}, () => JSON.stringify(statusWebhook(workspace, [{ id: "wamid.X", status: "read" }]))],
    ["a bad signature", { "x-hub-signature-256": "sha256=00" }, () => "{}"],
    ["an encoded body", { "content-encoding": "gzip" }, () => "{}"],
    ["no JSON", {}, () => "{"],
    ["nothing", {}, () => ""],
  ])("is answered by the framework as by the front door: %s", async (_, headers, bodyOf) => {
    const body = bodyOf();
    const answerOf = async (origin: string) => {
      const answer = await postWebhook(body, headers, origin);
      expectApiHeaders(answer);
      const { requestId, docsUrl, ...details } = answer.body.details ?? {};
      return { status: answer.status, body: { ...answer.body, details }, type: answer.headers.get("content-type") };
    };
    expect(await answerOf(baseUrl)).toEqual(await answerOf(workspace.baseUrl));
  });
});

describe("every row of the contract is answered by the framework as by the front door", () => {
  const SEND = "/api/v1/public/messages/send";
  const to = (number: string) => ({ type: "text", phone: `447700900${number}`, content: "Hello" });
  const GREETING = {
    id: "5900020001",
    name: "greeting",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Hello {{1}}", example: { body_text: [["Ada"]] } }],
  };
  const rehearsal = forSuite(() => provisionWorkspace({ mode: "test", templates: [GREETING] }));

  /** What differs in each response, by its kind. */
  const inKinds = (text: string, origin: string) =>
    text
      .replaceAll(origin, "origin")
      // The limits of the two differ.
      .replaceAll("1000000", "100")
      .replace(/\b(msg|req|tpl|ct|pn)_[0-9a-z]+/g, "$1_id")
      .replace(/"wamid\.[^"]+"/g, '"wamid"')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
      .replace(/"fbtraceId":"[^"]*"/g, '"fbtraceId":"id"');

  const GREET = { type: "template", phone: "447700900003", templateName: "greeting" };
  const NUMBERS = ["402", "429", "431", "500", "190", "229", "502"];
  const key = { "Idempotency-Key": "row" };
  test.each<[string, number, string, string, (object | string)?, Record<string, string>?]>([
    ["a text", 201, "POST", SEND, to("003")],
    ["a template", 201, "POST", SEND, { ...GREET, templateVariables: { "1": "Ada" } }],
    ["a first send with a key", 201, "POST", SEND, to("003"), key],
    ["its replay", 200, "POST", SEND, to("003"), key],
    ["its key for another body", 409, "POST", SEND, to("004"), key],
    ["templates", 200, "GET", "/api/v1/public/templates"],
    ["an unknown message", 404, "GET", "/api/v1/public/messages/msg_unknown"],
    ["an unknown path", 404, "GET", "/api/v1/public/nothing"],
    ["a wrong method", 405, "DELETE", SEND],
    ["a wrong body", 400, "POST", SEND, { type: "text" }],
    ["no JSON", 400, "POST", SEND, "{"],
    ["a body of 300 KB", 413, "POST", SEND, "x".repeat(300_000)],
    ["a wrong secret", 401, "GET", "/api/v1/public/templates", undefined, { apiSecret: "wrong" }],
    ["a template that is not there", 400, "POST", SEND, { ...GREET, templateName: "none" }],
    ...NUMBERS.map((number): [string, number, string, string, object] => [
      ...([`test number ${number}`, 0, "POST", SEND] as [string, number, string, string]),
      to(number),
    ]),
  ])("%s", async (_, status, method, path, body, headers = {}) => {
    const answerOf = async (origin: string) => {
      const rowKey = headers["Idempotency-Key"];
      const own: Record<string, string> = rowKey ? { "Idempotency-Key": `${rowKey} ${origin}` } : {};
      const given = typeof body === "string" ? { rawBody: body } : { body };
      const answer = await rehearsal.at(origin).call(method, path, { ...given, headers: { ...headers, ...own } });
      expectApiHeaders(answer);
      return { status: answer.status, body: JSON.parse(inKinds(answer.text, origin)) };
    };
    const alone = await answerOf(baseUrl);
    if (status !== 0) expect(alone.status).toBe(status);
    expect(alone).toEqual(await answerOf(rehearsal.baseUrl));
  });

  test("a message is found again, with its status", async () => {
    const sent = await call("POST", SEND, {}, TEXT);
    expectSent(sent);
    const found = await call("GET", `/api/v1/public/messages/${sent.body.data.id}`, {});
    expect([found.status, found.body.data.id, found.body.data.status]).toEqual([200, sent.body.data.id, "SENT"]);
  });
});

describe("the limits hold without the front door", () => {
  test("the sixth call of five is refused by the limit of its address and of its key", async () => {
    await awayFromWindowEdge();
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const limits = { PUBLIC_API_IP_RATE_LIMIT: "5", PUBLIC_API_KEY_RATE_LIMIT: "5" };
    const alone = await startNext(port, { APP_URL: origin, ...limits });
    const { apiKey, apiSecret } = await provisionWorkspace();
    // Its first connections are made outside the count: how long that takes is the machine's affair.
    await expect
      .poll(async () => (await request("GET", `${origin}/api/health/ready`)).status, { timeout: 20_000 })
      .toBe(200);
    const six = async (scope: string, status: number, headersOf: () => Record<string, string>) => {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i++) {
        const answer = await request("GET", `${origin}/api/v1/public/templates`, { headers: headersOf() });
        statuses.push(answer.status);
        if (answer.status === 429) expect(answer.body.details).toMatchObject({ scope, limit: 5 });
      }
      expect(statuses).toEqual([...Array(5).fill(status), 429]);
    };
    const address = freshAddress();
    await six("ip", 401, () => ({ "x-forwarded-for": address }));
    await six("key", 200, () => ({ apiKey, apiSecret, "x-forwarded-for": freshAddress() }));
    alone.signal("SIGTERM");
    await alone.exited;
  });
});

describe("the framework's headers open no page", () => {
  test.each(MADE_UP)("%j", async (headers) => {
    const answer = await request("GET", `${baseUrl}/dashboard/messages`, { headers });
    expect(answer.status).not.toBe(500);
    expect(answer.text).not.toContain("Messages");
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});

describe("400", () => {
  test("a broken percent-encoding is refused in our shape", async () => {
    const starts = [
      "/api/v1/public/messages/",
      "/api/v1/public/",
      "/api/",
      "/docs/errors/",
      "/dashboard/messages/",
      "/",
    ];
    for (const start of starts) {
      const answer = await call("GET", `${start}%E0%A4%A`, {});
      expectError(answer, { status: 400, error: "VALIDATION_ERROR", details: { retryable: false } });
      expectApiHeaders(answer);
    }
  });

  test("a key that is sent twice binds nothing, though Node has made one header of both", async () => {
    for (const second of ["twice", "another"]) {
      const { apiKey, apiSecret } = workspace;
      const keys = { "Idempotency-Key": "twice", "idempotency-key": second };
      const headers = { apiKey, apiSecret, "Content-Length": `${TEXT.length}`, ...keys };
      const answer = await rawRequest(baseUrl, `${head("POST /api/v1/public/messages/send", headers)}${TEXT}`);
      if (!answer) throw new Error("no answer");
      expectInvalid(answer, { "Idempotency-Key": "sent twice" });
    }
    expectSent(await call("POST", "/api/v1/public/messages/send", { "Idempotency-Key": "one,with:comma" }, TEXT));
  });

  test("a percent sign that is none of a broken encoding reaches its route", async () => {
    expect((await call("GET", "/api/v1/public/messages/msg%5F1", {})).status).toBe(404);
  });
});

describe("404", () => {
  test("no picture is fetched and changed for anybody", async () => {
    const cookie = await signIn(workspace.owner);
    for (const url of ["/api/health", "/icon.svg", "/dashboard"]) {
      const path = `/_next/image?url=${encodeURIComponent(url)}&w=640&q=75`;
      expect((await request("GET", `${baseUrl}${path}`, { headers: { cookie } })).status, url).toBe(404);
    }
  });
});
