import { describe, expect } from "vitest";
import { callAction, saidByAction } from "../../support/actions";
import { expectApiHeaders, expectRateHeaders } from "../../support/edge-headers";
import { testServers } from "../../support/environment";
import { freshAddress } from "../../support/limits";
import { head, openRaw, type RawConnection, rawRequest } from "../../support/raw-http";
import { expectError, expectNothingBound } from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const SEND = "/api/v1/public/messages/send";
const TEXT = JSON.stringify({ type: "text", phone: "447700900123", content: "Hi" });
const LENGTH = `${TEXT.length}`;
/** Of those that name no workspace. */
const OWN = { "X-Forwarded-For": freshAddress() };
const MAX_BYTES = 262_144;
/** In chunks, and with a signature that could be one: a webhook without it is refused before its body. */
const ENDLESS = { "Transfer-Encoding": "chunked", "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` };
const TOO_LARGE = { status: 413, error: "PAYLOAD_TOO_LARGE", details: { maxBytes: MAX_BYTES, retryable: false } };
const IP_LIMIT = { limit: 100, remaining: 99, policies: { ip: 100 } };

describe("201", () => {
  test("a body of exactly 262,144 bytes is read", async ({ workspace }) => {
    const body = `${TEXT}${" ".repeat(MAX_BYTES - TEXT.length)}`;
    const answer = await workspace.call("POST", SEND, { rawBody: body });
    expect(answer.status, answer.text).toBe(201);
  });

  test("a body in chunks is read, and Expect: 100-continue is answered", async ({ workspace }) => {
    const start = head(`POST ${SEND}`, { ...from(workspace), "Transfer-Encoding": "chunked" });
    const body = `${chunk(TEXT.slice(0, 9))}${chunk(TEXT.slice(9))}0\r\n\r\n`;
    const chunked = await rawRequest(workspace.baseUrl, `${start}${body}`);
    expect(chunked?.status, chunked?.text).toBe(201);

    const connection = await openRaw(workspace.baseUrl);
    const asking = { ...from(workspace), "Content-Length": LENGTH, Expect: "100-continue" };
    connection.write(head(`POST ${SEND}`, asking));
    expect((await connection.answer())?.status).toBe(100);
    connection.write(TEXT);
    expect((await connection.answer())?.status).toBe(201);
    connection.end();
  });

  test("an Idempotency-Key with a comma and a space is one key, which only hosts that join headers refuse", async () => {
    const workspace = await provisionWorkspace();
    const call = () => workspace.call("POST", SEND, { rawBody: TEXT, headers: { "Idempotency-Key": "a, b" } });
    expect([(await call()).status, (await call()).status]).toEqual([201, 200]);
  });

  test("an Idempotency-Key is read where it is the last of 1,000 headers", async ({ workspace }) => {
    for (const status of [201, 200])
      expect((await rawRequest(workspace.baseUrl, keyBehind(workspace, 994)))?.status).toBe(status);
  });

  test("requests in one packet are answered in their order", async ({ workspace }) => {
    const connection = await openRaw(workspace.baseUrl);
    connection.write(`${sendBytes(workspace)}${head("GET /api/nothing")}${head("GET /api/health")}`);
    expect((await connection.answer())?.status).toBe(201);
    expect((await connection.answer())?.status).toBe(404);
    expect((await connection.answer())?.status).toBe(200);
    connection.end();
  });

  test("a send is answered before the garbage behind it", async ({ workspace }) => {
    const connection = await openRaw(workspace.baseUrl);
    connection.write(`${sendBytes(workspace)}\0\0\0\0 not HTTP at all\r\n\r\n`);
    expect((await connection.answer())?.status).toBe(201);
    expect((await connection.answer())?.status ?? 405).toBe(405);
    await connection.closed;
  });
});

describe.concurrent("keep-alive", () => {
  test.each([
    ["404", head("GET /api/v1/public/nothing", OWN), 404],
    ["404 of a doubled slash", head("GET /api//health"), 404],
    ["405", head(`PUT ${SEND}`, OWN), 405],
    ["405 of TRACE", head("TRACE /api/health"), 405],
    ["400 of a broken path", head("GET /api/%"), 400],
    ["401 of a body that has arrived", `${head(`POST ${SEND}`, { ...OWN, "Content-Length": LENGTH })}${TEXT}`, 401],
  ])("a connection lives on after a %s", async (_name, bytes, status) => {
    const connection = await openRaw(testServers().baseUrl);
    connection.write(bytes);
    const refused = await connection.answer();
    expect(refused?.status).toBe(status);
    connection.write(head("GET /api/health"));
    expect((await connection.answer())?.status).toBe(200);
    connection.end();
  });
});

describe.concurrent("a refusal that comes before its body", () => {
  const refused = { "X-Forwarded-For": freshAddress(), apiKey: "pk_live_unknown0000000000", apiSecret: "sk_live_x" };

  test.each([TEXT.length, 65_536])("a body of %d bytes keeps the connection for the next request", async (length) => {
    const connection = await openRaw(testServers().baseUrl);
    connection.write(head(`POST ${SEND}`, { ...refused, "Content-Length": `${length}` }));
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.get("connection")]).toEqual([401, "keep-alive"]);
    connection.write(TEXT.padEnd(length));
    connection.write(head("GET /api/health"));
    expect((await connection.answer())?.status).toBe(200);
    connection.end();
  });

  test.each([{ "Content-Length": "65537" }, { "Content-Length": `${MAX_BYTES}` }])(
    "a larger body ends the connection: %o",
    async (length) => {
      const connection = await openRaw(testServers().baseUrl);
      connection.write(head(`POST ${SEND}`, { ...refused, ...length }));
      const answer = await connection.answer();
      expect([answer?.status, answer?.headers.get("connection")]).toEqual([401, "close"]);
      await connection.closed;
    },
  );
});

describe.concurrent("413", () => {
  test.each([MAX_BYTES + 1, 10 ** 12])("a Content-Length of %d is refused before the body", async (length) => {
    const workspace = await provisionWorkspace();
    const connection = await openRaw(workspace.baseUrl);
    connection.write(`${head(`POST ${SEND}`, { ...from(workspace), "Content-Length": `${length}` })}{`);
    const answer = await answerTo(connection);
    expectError(answer, TOO_LARGE);
    expectApiHeaders(answer);
    expectRateHeaders(answer, IP_LIMIT);
    expect(answer.headers.get("connection")).toBe("close");
    expect(await connection.closed).toBeLessThan(8_000);
    await expectNothingBound(workspace);
  });

  test("a large body is not asked for with 100 Continue", async ({ workspace }) => {
    const headers = { ...from(workspace), "Content-Length": `${MAX_BYTES + 1}`, Expect: "100-continue" };
    const answer = await rawRequest(workspace.baseUrl, head(`POST ${SEND}`, headers));
    expect(answer?.status).toBe(413);
  });

  test("a body in chunks beyond the cap is refused while the client still sends", async ({ workspace }) => {
    const connection = await openRaw(workspace.baseUrl);
    connection.write(head(`POST ${SEND}`, { ...from(workspace), "Transfer-Encoding": "chunked" }));
    for (let i = 0; i < 20; i++) connection.write(chunk("x".repeat(16 * 1_024)));
    const answer = await answerTo(connection);
    expectError(answer, TOO_LARGE);
    expectRateHeaders(answer, IP_LIMIT);
    await connection.closed;
    await expectNothingBound(workspace);
  });

  test("an ordinary client that sends far too much reads the answer", async ({ workspace }) => {
    const answer = await workspace.call("POST", SEND, { rawBody: "x".repeat(3 * 1_024 * 1_024) });
    expectError(answer, TOO_LARGE);
  });

  test("comes before the credentials, and a body on a path that takes none is not read", async ({ workspace }) => {
    const body = { rawBody: "x".repeat(MAX_BYTES + 1) };
    expect((await workspace.call("POST", SEND, { ...body, key: null })).status).toBe(413);
    expect((await workspace.call("POST", "/api/v1/public/templates", body)).status).toBe(405);
    expect((await workspace.call("POST", "/api/v1/public/nothing", body)).status).toBe(404);
  });

  test("no route of the API takes a body without an end", async ({ workspace }) => {
    for (const path of ["/api/webhooks/whatsapp", "/api/auth/callback/credentials"]) {
      const declared = head(`POST ${path}`, { "Content-Length": `${5 * 1_024 * 1_024}` });
      const answer = await rawRequest(workspace.baseUrl, declared);
      expect([path, answer?.status, answer?.body.error]).toEqual([path, 413, "PAYLOAD_TOO_LARGE"]);
      const connection = await openRaw(workspace.baseUrl);
      connection.write(head(`POST ${path}`, { ...ENDLESS, "Content-Type": "application/json" }));
      for (let i = 0; i < 72; i++) connection.write(chunk("x".repeat(64 * 1_024)));
      expect([path, (await connection.answer())?.status]).toEqual([path, 413]);
      connection.end();
    }
  });
});

describe.concurrent("a body in chunks that goes on to its end beyond every cap", () => {
  test.for(["/dashboard", "/api/webhooks/whatsapp", "/api/auth/callback/credentials", SEND])(
    "%s answers 413, and the server lives",
    async (path) => {
      const { baseUrl } = testServers();
      const connection = await openRaw(baseUrl);
      connection.write(head(`POST ${path}`, { ...ENDLESS, "Content-Type": "application/json" }));
      for (let i = 0; i < 72; i++) connection.write(chunk("x".repeat(64 * 1_024)));
      connection.write("0\r\n\r\n");
      const answer = await connection.answer();
      expect(answer?.status).toBe(413);
      // Where all of the body had arrived by then, the connection stays for the next request.
      if (answer?.headers.get("connection") === "close") await connection.closed;
      expect((await request("GET", `${baseUrl}/api/health`)).status).toBe(200);
      connection.end();
    },
  );
});

describe("an offer of another protocol", () => {
  test.for(["h2c", "websocket"])("Upgrade: %s is not taken up, and the call is an ordinary one", async (protocol) => {
    const workspace = await provisionWorkspace();
    const offer = { Connection: "Upgrade", Upgrade: protocol };
    const answer = await rawRequest(workspace.baseUrl, sendBytes(workspace, offer));
    expect(answer?.status, answer?.text).toBe(201);
  });
});

describe.concurrent("408", () => {
  test("a body that stops arriving is given up after 10 s and sends nothing", async ({ workspace }) => {
    const connection = await openRaw(workspace.baseUrl);
    connection.write(`${head(`POST ${SEND}`, { ...from(workspace), "Content-Length": LENGTH })}{"type"`);
    const answer = await answerTo(connection);
    expectError(answer, { status: 408, error: "REQUEST_TIMEOUT", details: { retryable: true } });
    expectApiHeaders(answer);
    expect(answer.ms).toBeGreaterThan(9_000);
    await connection.closed;
    await expectNothingBound(workspace);
  });

  test("headers that stop arriving are given up, too", async () => {
    const connection = await openRaw(testServers().baseUrl);
    connection.write("GET /api/health HTTP/1.1\r\nHost: a\r\nX-Slow");
    const answer = await answerTo(connection);
    expectError(answer, { status: 408, error: "REQUEST_TIMEOUT", details: { retryable: true } });
    await connection.closed;
  });

  test("a body that is cut off sends nothing", async ({ workspace }) => {
    const connection = await openRaw(workspace.baseUrl);
    connection.write(`${head(`POST ${SEND}`, { ...from(workspace), "Content-Length": "500" })}${TEXT}`);
    connection.end();
    await connection.closed;
    expect((await workspace.call("GET", "/api/v1/public/templates")).status).toBe(200);
    await expectNothingBound(workspace);
  });
});

describe("Accept-Encoding", () => {
  test("is answered alike by the API, a page rendered once, a rendered page and a file", async () => {
    const workspace = await provisionWorkspace({ templates: [LONG] });
    const [style = ""] = /\/_next\/[^"]+\.css/.exec((await request("GET", `${workspace.baseUrl}/docs`)).text) ?? [];
    for (const [given, expected] of [
      ["br;q=1, GZIP;q=0.2", "gzip"],
      ["gzip;q=0, *", null],
      ["br", null],
    ] as const) {
      for (const path of ["/api/v1/public/templates", "/docs", "/no-such-page", style]) {
        const headers = { ...from(workspace), "Accept-Encoding": given };
        const answer = await request("GET", `${workspace.baseUrl}${path}`, { headers });
        expect([given, path, answer.headers.get("content-encoding")]).toEqual([given, path, expected]);
        expect(answer.text.length).toBeGreaterThan(4_096);
      }
    }
  });
});

describe("more headers than are read", () => {
  test.each([995, 3_000])("an Idempotency-Key behind %d others is a 431, and sends nothing", async (others) => {
    const workspace = await provisionWorkspace();
    for (let attempt = 1; attempt <= 2; attempt++) {
      const connection = await openRaw(workspace.baseUrl);
      connection.write(keyBehind(workspace, others));
      const answer = await answerTo(connection);
      expectError(answer, { status: 431, error: "VALIDATION_ERROR", details: { retryable: false } });
      expectApiHeaders(answer);
      await connection.closed;
    }
    await expectNothingBound(workspace);
  });

  test("such a body is not asked for with 100 Continue", async ({ workspace }) => {
    const bytes = keyBehind(workspace, 2_000).replace("\r\n", "\r\nExpect: 100-continue\r\n");
    expect((await rawRequest(workspace.baseUrl, bytes))?.status).toBe(431);
  });

  test("a page takes 1,000 with those that the front door adds, and not one more", async () => {
    // Next compares the Origin with the last header that the front door adds, and without that with this Host.
    const headers = { Host: "elsewhere.example", "X-Forwarded-For": freshAddress() };
    const signUp = (others: number) =>
      callAction("app/sign-up/actions.ts#signUp", { path: "/sign-up", headers: { ...headers, ...named(others, "1") } });
    expect(saidByAction((await signUp(1_000 - 7)).text)).toMatchObject({ ok: false });
    expect((await signUp(1_000 - 6)).status).toBe(431);
  });
});

describe.concurrent("what HTTP itself forbids", () => {
  const post = (lines: string, body = "") => `POST ${SEND} HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${body}`;
  test.each([
    ["a request without Host", `GET /api/health HTTP/1.1\r\n\r\n`, 400],
    ["two Hosts", "GET /api/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    ...["", "a b", "%%%", "[", "a:99999999", "@x/y?z", "a,b"].map((host): [string, string, number] => [
      `the Host ${JSON.stringify(host)}`,
      `GET /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      400,
    ]),
    ["two lengths", post("Content-Length: 2\r\nContent-Length: 3", "{}"), 400],
    ["a length and chunks", post("Content-Length: 2\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400],
    ["a negative length", post("Content-Length: -1"), 400],
    ["a length in hex", post("Content-Length: 0x10"), 400],
    ["a broken chunk", post("Transfer-Encoding: chunked", "zz\r\n"), 400],
    ["a folded header", post("X-A: 1\r\n 2"), 400],
    ["NUL in a header", post("X-A: \0"), 400],
    ["a space before the colon", post("X-A : 1"), 400],
    ["a space in the path", "GET /api/ health HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a header of 20 KB", post(`X-A: ${"a".repeat(20_000)}`), 431],
    ["2,000 headers", post(Array.from({ length: 2_000 }, (_, i) => `X-${i}: some value`).join("\r\n")), 431],
    ["a path of 20 KB", `GET /api/${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])("%s is refused in our shape and the connection ends", async (_name, bytes, status) => {
    const connection = await openRaw(testServers().baseUrl);
    connection.write(bytes);
    const answer = await answerTo(connection);
    expectError(answer, { status, error: "VALIDATION_ERROR", details: { retryable: false } });
    expectApiHeaders(answer);
    await connection.closed;
  });

  test("an expectation that no one knows is passed over", async () => {
    const { baseUrl } = testServers();
    const answer = await rawRequest(baseUrl, head("GET /api/health", { Expect: "the-unexpected" }));
    expect(answer?.status).toBe(200);
  });
});

const answerTo = async (connection: RawConnection) => (await connection.answer()) ?? expect.fail("no answer");

/** A whole send, over a connection that the test holds. */
const sendBytes = (workspace: TestWorkspace, more: Record<string, string> = {}): string =>
  `${head(`POST ${SEND}`, { ...from(workspace), "Content-Length": LENGTH, ...more })}${TEXT}`;

/** Headers of one character or two, so that thousands are within the bound in bytes. */
const named = (count: number, value = ""): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`h${i.toString(36)}`, value]));

/** A send whose key comes after `others` headers and six of its own. */
function keyBehind(workspace: TestWorkspace, others: number): string {
  return sendBytes(workspace, { ...named(others), "Idempotency-Key": "the-last" });
}

const LONG = {
  ...{ id: "1", name: "long", language: "en_US", status: "APPROVED", category: "UTILITY" },
  components: Array.from({ length: 5 }, () => ({ type: "BODY", text: "x".repeat(1_000) })),
};

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

const from = (workspace: TestWorkspace): Record<string, string> => ({
  "X-Forwarded-For": workspace.clientAddress,
  apiKey: workspace.apiKey,
  apiSecret: workspace.apiSecret,
});
