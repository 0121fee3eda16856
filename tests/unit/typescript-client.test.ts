import { readdirSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readRetryAfterMs, retryDelayMs } from "../../clients/typescript/src/retry-delay";
import {
  AbortError,
  ApiError,
  type AttemptInfo,
  ChatGraphError,
  type ClientOptions,
  NoResponseError,
  responseOf,
  Switchboard,
  SwitchboardError,
  ValidationError,
  VERSION,
} from "../../clients/typescript/src/switchboard";

const KEY = { apiKey: "pk_test_a", apiSecret: "sk_test_a" };
const TEXT = { type: "text", phone: "447700900003", content: "Hi" } as const;
const MESSAGE = { id: "msg_1", status: "SENT" };

type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | Error;

const accepted: Reply = { status: 201, body: { success: true, data: MESSAGE } };
const refusal = (status: number, error: string, details: object = {}): Reply => ({
  status,
  body: { error, message: `It is ${error}.`, details: { requestId: "req_1", docsUrl: "https://x.test", ...details } },
});

/** A client whose calls get these replies in turn, and the calls that it made. */
const clientOf = (replies: Reply[], options: Partial<ClientOptions> = {}) => {
  const calls: { url: string; init: RequestInit; idempotencyKey: unknown }[] = [];
  const client = new Switchboard({
    ...KEY,
    deadlineSeconds: 10,
    fetch: async (url, init = {}) => {
      const body = init.body ? JSON.parse(String(init.body)) : {};
      calls.push({ url: String(url), init, idempotencyKey: body.idempotencyKey });
      const reply = replies.shift();
      if (!reply) throw new Error("one call too many");
      if (reply instanceof Error) throw reply;
      const { status, body: content = "", headers = {} } = reply;
      return new Response(typeof content === "string" ? content : JSON.stringify(content), { status, headers });
    },
    ...options,
  });
  return { client, calls };
};

const neverAnswering: typeof fetch = (_, init) =>
  new Promise((_resolve, reject) =>
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason), { once: true }),
  );

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a send", () => {
  test("has a random idempotency key, its own in the request, or the one of the call", async () => {
    const { client, calls } = clientOf([accepted, accepted, accepted, accepted]);
    await client.send(TEXT);
    await client.send(TEXT);
    await client.send({ ...TEXT, idempotencyKey: "order-1 ✓" });
    await client.send(TEXT, { idempotencyKey: "order-2" });
    const [first, second, ...given] = calls.map(({ idempotencyKey }) => idempotencyKey);
    expect([first, second]).toEqual([expect.stringMatching(/^[\w-]{36}$/), expect.stringMatching(/^[\w-]{36}$/)]);
    expect(first).not.toBe(second);
    expect(given).toEqual(["order-1 ✓", "order-2"]);
  });

  test.each([{ timeoutSeconds: 1.0005 }, { deadlineSeconds: 1.0005 }, { timeoutSeconds: 1 / 3 }])(
    "takes limits of time that are no whole number of milliseconds: %o",
    async (limits) => {
      const { client } = clientOf([accepted], limits);
      expect(await client.send(TEXT)).toMatchObject(MESSAGE);
    },
  );

  test.each<[string, Reply]>([
    ["a connection that failed", new TypeError("fetch failed")],
    ["a refusal that says it may be retried", refusal(503, "SERVICE_UNAVAILABLE", { retryable: true })],
    ["a proxy's own 502", { status: 502, body: "<html>" }],
    ["a response that was cut off", { status: 201, body: '{"success":tr' }],
  ])("is repeated under the same key after %s", async (_, reply) => {
    const { client, calls } = clientOf([reply, accepted]);
    expect(await client.send(TEXT)).toEqual(MESSAGE);
    expect(calls.length).toBe(2);
    expect(calls[1]?.init.body).toBe(calls[0]?.init.body);
  });

  test.each<[string, Reply]>([
    ["a refusal that no retry fixes", refusal(400, "VALIDATION_ERROR", { retryable: false })],
    ["a refusal that says nothing of retries", refusal(500, "INTERNAL_ERROR")],
    ["an unknown outcome", refusal(502, "CHAT_GRAPH_ERROR", { outcome: "unknown", retryable: false })],
    ["a conflict", refusal(409, "IDEMPOTENCY_CONFLICT", { retryable: false })],
    ["a redirect", { status: 308, headers: { Location: "https://elsewhere.test" } }],
    ["a page in place of the API", { status: 404, body: "<html>" }],
  ])("is not repeated after %s", async (_, reply) => {
    const { client, calls } = clientOf([reply]);
    expect(await failureOf(client.send(TEXT, { idempotencyKey: "order-1" }))).toMatchObject({
      idempotencyKey: "order-1",
    });
    expect(calls.length).toBe(1);
    expect(calls[0]?.init.redirect).toBe("manual");
  });

  test("gives up after its retries, with the last failure and the key to go on with", async () => {
    const lost = new TypeError("fetch failed");
    const { client, calls } = clientOf([lost, lost], { maxRetries: 1 });
    const failure = await failureOf(client.send(TEXT));
    expect(failure).toBeInstanceOf(NoResponseError);
    expect(failure).toMatchObject({ idempotencyKey: calls[0]?.idempotencyKey, cause: lost });
    expect(calls[1]?.idempotencyKey).toBe(calls[0]?.idempotencyKey);
  });

  test("reports a wait that goes beyond its deadline at once", async () => {
    const limited = refusal(429, "RATE_LIMIT_EXCEEDED", { retryable: true, retryAfterSeconds: 900 });
    const { client, calls } = clientOf([limited]);
    const startedAtMs = performance.now();
    expect(await failureOf(client.send(TEXT))).toMatchObject({ code: "RATE_LIMIT_EXCEEDED", status: 429 });
    expect([calls.length, performance.now() - startedAtMs < 1_000]).toEqual([1, true]);
  });

  test("waits as long as the header Retry-After says", async () => {
    const limited = { ...refusal(429, "RATE_LIMIT_EXCEEDED", { retryable: true }), headers: { "Retry-After": "1" } };
    const { client } = clientOf([limited, accepted]);
    const startedAtMs = performance.now();
    await client.send(TEXT);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(995);
  });

  test("ends when the caller aborts it, also while it waits: with the reason, and with the key to go on with", async () => {
    const { client, calls } = clientOf([new TypeError("fetch failed"), accepted]);
    const aborting = new AbortController();
    const call = failureOf(client.send(TEXT, { signal: aborting.signal }));
    setTimeout(() => aborting.abort("the page was closed"), 50);
    const failure = await call;
    expect(failure).toBeInstanceOf(AbortError);
    const [{ idempotencyKey } = { idempotencyKey: undefined }] = calls;
    expect(failure).toMatchObject({ name: "AbortError", cause: "the page was closed", idempotencyKey });
    expect(idempotencyKey).toEqual(expect.any(String));
    expect(calls.length).toBe(1);
  });

  test("that is aborted while its response is awaited has its key on the error, too", async () => {
    const { client, calls } = clientOf([], { fetch: neverAnswering });
    const failure = await failureOf(client.send(TEXT, { signal: AbortSignal.timeout(50) }));
    expect(failure).toMatchObject({ name: "AbortError", cause: { name: "TimeoutError" } });
    expect(failure).toMatchObject({ idempotencyKey: expect.stringMatching(/^[\w-]{36}$/) });
    expect(calls.length).toBe(0);
  });

  test("gives up an attempt that takes longer than its timeout", async () => {
    const { client } = clientOf([], { fetch: neverAnswering, timeoutSeconds: 0.05, maxRetries: 0 });
    expect(await failureOf(client.send(TEXT))).toMatchObject({
      name: "NoResponseError",
      message: expect.stringMatching(/^No response within 0\.05 s: POST http:\/\/localhost:3000\//),
    });
  });
});

describe("a response", () => {
  const headers = { "X-Request-Id": "req_1", "RateLimit-Remaining": "41" };

  test("is found by the result or the error that it brought, which stay as they are", async () => {
    const replies = [{ ...accepted, headers }, refusal(404, "NOT_FOUND", { retryable: false })] as const;
    const { client } = clientOf([replies[0], { ...replies[1], headers } as Reply]);
    const sent = await client.send(TEXT);
    expect(JSON.stringify(sent)).toBe(JSON.stringify(MESSAGE));
    expect(responseOf(sent)).toMatchObject({ status: 201, requestId: "req_1" });
    expect(responseOf(sent)?.headers.get("ratelimit-remaining")).toBe("41");
    expect(await failureOf(client.getMessage("msg_1"))).toMatchObject({
      response: { status: 404, requestId: "req_1" },
    });
  });

  test("and every attempt before it are reported to the hook; a hook that fails changes nothing", async () => {
    const attempts: AttemptInfo[] = [];
    const onAttempt = (attempt: AttemptInfo) => {
      attempts.push(attempt);
      throw new Error("The log is full.");
    };
    const { client } = clientOf([{ status: 502, body: "<html>" }, { ...accepted, headers } as Reply], { onAttempt });
    await client.send(TEXT, { idempotencyKey: "order-1" });
    const url = "http://localhost:3000/api/v1/public/messages/send";
    const shared = { method: "POST", url, durationMs: expect.any(Number), idempotencyKey: "order-1" };
    const answered = (status: number, requestId?: string) => ({ status, headers: expect.any(Headers), requestId });
    const [lost, retryInMs] = [expect.any(NoResponseError), expect.any(Number)];
    expect(attempts).toEqual([
      { ...shared, attempt: 1, response: answered(502), error: lost, retryInMs },
      { ...shared, attempt: 2, response: answered(201, "req_1"), error: undefined, retryInMs: undefined },
    ]);
    expect(inspect(attempts, { depth: 9 })).not.toContain(KEY.apiSecret);
  });

  test("is asked for under the client's name and version", async () => {
    const { client, calls } = clientOf([accepted]);
    await client.send(TEXT);
    const sent = new Headers(calls[0]?.init.headers);
    expect(sent.get("user-agent")).toBe(`switchboard-client-typescript/${VERSION}`);
  });
});

describe("the templates", () => {
  const page = (names: string[], nextCursor: string | null): Reply => ({
    status: 200,
    body: { success: true, data: { templates: names.map((name) => ({ name })), nextCursor } },
    headers: { "X-Request-Id": `req_${names.join("")}` },
  });

  test("are iterated over, and a page is read only once it is needed", async () => {
    const { client, calls } = clientOf([page(["a", "b"], "two"), page(["c"], null)]);
    const read: [string, number][] = [];
    for await (const { name } of client.iterateTemplates({ language: "en_US" })) read.push([name, calls.length]);
    expect(read.map(([name, pages]) => `${name} ${pages}`)).toEqual(["a 1", "b 1", "c 2"]);
    const query = "?language=en_US&limit=100";
    expect(calls.map(({ url }) => url.slice(url.indexOf("?")))).toEqual([query, `${query}&cursor=two`]);
  });

  test("are listed over all pages, with the response of the last", async () => {
    const { client } = clientOf([page(["a", "b"], "two"), page(["c"], null)]);
    const listed = await client.listTemplates();
    expect([listed.map(({ name }) => name), responseOf(listed)?.requestId]).toEqual([["a", "b", "c"], "req_c"]);
  });
});

describe("a wait", () => {
  afterEach(() => void vi.useRealTimers());

  test("goes on where a read failed for a reason that passes, and ends at the status that it waits for", async () => {
    vi.useFakeTimers();
    const { client, calls } = clientOf([
      refusal(429, "RATE_LIMIT_EXCEEDED", { retryable: true, retryAfterSeconds: 900 }),
      { status: 200, body: { success: true, data: { ...MESSAGE, status: "UNKNOWN" } } },
      { status: 200, body: { success: true, data: { ...MESSAGE, status: "READ" } } },
    ]);
    const seen: string[] = [];
    const wait = client.waitFor("msg_1", { onMessage: ({ status }) => void seen.push(status) });
    await vi.advanceTimersByTimeAsync(3_000);
    expect([await wait, seen, calls.length]).toEqual([{ ...MESSAGE, status: "READ" }, ["UNKNOWN", "READ"], 3]);
  });

  test("ends where a read failed for good, or at its time with the failure of the last read", async () => {
    vi.useFakeTimers();
    const limited = refusal(429, "RATE_LIMIT_EXCEEDED", { retryable: true, retryAfterSeconds: 900 });
    const [unknown, busy] = [
      clientOf([refusal(404, "NOT_FOUND", { retryable: false })]),
      clientOf(Array.from({ length: 5 }, () => limited)),
    ];
    const failures = [unknown, busy].map(({ client }) => failureOf(client.waitFor("msg_1", { timeoutSeconds: 10 })));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await Promise.all(failures)).toMatchObject([{ code: "NOT_FOUND" }, { code: "RATE_LIMIT_EXCEEDED" }]);
  });
});

describe("an error", () => {
  test("is of the class of its code, with everything that the API said", async () => {
    const { client } = clientOf([
      refusal(400, "VALIDATION_ERROR", { field: "phone", retryable: false }),
      refusal(502, "CHAT_GRAPH_ERROR", { outcome: "unknown", messageId: "msg_9", retryable: false }),
    ]);
    const [invalid, unknown] = [await failureOf(client.send(TEXT)), await failureOf(client.send(TEXT))];
    expect(invalid).toBeInstanceOf(ValidationError);
    expect(invalid).toBeInstanceOf(SwitchboardError);
    expect(invalid).toMatchObject({ name: "ValidationError", status: 400, message: "It is VALIDATION_ERROR." });
    expect(unknown).toBeInstanceOf(ChatGraphError);
    expect(unknown).toMatchObject({ details: { outcome: "unknown", messageId: "msg_9", requestId: "req_1" } });
  });

  test.each(["TEAPOT", "constructor", "__proto__"])("of the unknown code %s is an ApiError", async (code) => {
    const { client } = clientOf([refusal(418, code, { retryable: false })]);
    const failure = await failureOf(client.getMessage("msg_1"));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ name: "ApiError", code, status: 418, idempotencyKey: undefined });
  });
});

describe("a client", () => {
  test("uses nothing of Node outside its command line, so that workers run it", () => {
    const folder = "clients/typescript/src";
    const modules = readdirSync(folder).filter((file) => file.endsWith(".ts"));
    expect(modules.length).toBeGreaterThan(5);
    const ofNode = modules.filter((file) =>
      /from "node:|\b(process|Buffer)\.|require\(/.test(readFileSync(`${folder}/${file}`, "utf8")),
    );
    expect(ofNode).toEqual([]);
  });

  test("does not show its secret where it is logged", () => {
    const { client } = clientOf([]);
    expect([inspect(client), JSON.stringify(client)].join()).not.toContain(KEY.apiSecret);
  });

  test.each(["", "sk_test_a\n", "sk test", "“sk_test_a”"])("refuses the secret %j without quoting it", (apiSecret) => {
    expect(() => new Switchboard({ ...KEY, apiSecret })).toThrow(/^apiSecret is required: [a-z]+, digits/);
  });

  test("takes the origin of an address, and refuses what is none", async () => {
    const { client, calls } = clientOf([accepted], { origin: "https://messages.example.com/docs/" });
    await client.getMessage("a/../b");
    expect(calls[0]?.url).toBe("https://messages.example.com/api/v1/public/messages/a%2F..%2Fb");
    expect(() => new Switchboard({ ...KEY, origin: "messages.example.com" })).toThrow(/^origin must be /);
  });
});

describe("a retry's delay", () => {
  test("is at least what was asked for and at least the backoff, and at most half a backoff more", () => {
    const inputs = fc.tuple(fc.nat(30), fc.nat(100_000), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(inputs, ([retry, askedMs, random]) => {
        const backoffMs = Math.min(8_000, 500 * 2 ** retry);
        const delayMs = retryDelayMs(retry, askedMs, () => random);
        const minRemainingMs = Math.max(askedMs, backoffMs);
        return delayMs >= minRemainingMs && delayMs <= minRemainingMs + backoffMs / 2;
      }),
    );
  });

  test.each([
    ["7", 7_000],
    [" 0.5 ", 500],
    ["Mon, 23 Nov 2026 12:00:05 GMT", 5_000],
    ["Mon, 23 Nov 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-7", 0],
    [null, undefined],
  ])("of the header %j is %j ms", (header, ms) => {
    expect(readRetryAfterMs(header, Date.parse("2026-11-23T12:00:00Z"))).toBe(ms);
  });
});
