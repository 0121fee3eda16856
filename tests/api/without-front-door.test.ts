import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/ports.mjs";
import { expectApiHeaders } from "../support/edge-headers";
import { type Program, serverEnvironment, startProgram } from "../support/programs";
import { expectError, expectSent, PHONE } from "../support/sends";
import { signIn } from "../support/session";
import { signatureOf } from "../support/webhooks";
import { provisionWorkspace, request, statusWebhook, type TestWorkspace } from "../support/workspace";

// Next by itself, as a host without server.mjs runs it: the routes and proxy.ts must hold alone.
let baseUrl: string;
let server: Program;
let workspace: TestWorkspace;

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://localhost:${port}`;
  const next = ["node_modules/next/dist/bin/next", "start", "-p", `${port}`];
  server = startProgram(next, serverEnvironment({ APP_URL: baseUrl, PUBLIC_API_IP_RATE_LIMIT: "1000000" }));
  await server.says("Ready in");
  workspace = await provisionWorkspace();
});
afterAll(async () => {
  server.signal("SIGTERM");
  await server.exited;
});

const call = (method: string, path: string, headers: Record<string, string>, body?: string) => {
  const { apiKey, apiSecret } = workspace;
  const json = body === undefined ? {} : { body };
  return request(method, `${baseUrl}${path}`, {
    ...json,
    headers: { apiKey, apiSecret, "Content-Type": "application/json", ...headers },
  });
};

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
      const answer = await request("POST", `${origin}/api/webhooks/whatsapp`, {
        ...{ body, headers: { "x-hub-signature-256": signatureOf(body), ...headers } },
      });
      expectApiHeaders(answer);
      const { requestId, docsUrl, ...details } = answer.body.details ?? {};
      return { status: answer.status, body: { ...answer.body, details }, type: answer.headers.get("content-type") };
    };
    expect(await answerOf(baseUrl)).toEqual(await answerOf(workspace.baseUrl));
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

describe("404", () => {
  test("no picture is fetched and changed for anybody", async () => {
    const cookie = await signIn(workspace.owner);
    for (const url of ["/api/health", "/icon.svg", "/dashboard"]) {
      const path = `/_next/image?url=${encodeURIComponent(url)}&w=640&q=75`;
      expect((await request("GET", `${baseUrl}${path}`, { headers: { cookie } })).status, url).toBe(404);
    }
  });
});
