import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectApiHeaders } from "../../support/edge-headers";
import { freshAddress } from "../../support/limits";
import { rawRequest } from "../../support/raw-http";
import { sharedWorkspace } from "../../support/refused-sends";
import { expectInvalid, expectNothingBound } from "../../support/sends";
import { type Answer, type CallOptions, provisionWorkspace } from "../../support/workspace";

const SEND = "/api/v1/public/messages/send";
const text = (content: string) => ({ type: "text", phone: "447700900123", content });
const TEXT = JSON.stringify(text("Hi"));

const workspace = sharedWorkspace();

/** A send that must be refused with these faults and leave nothing behind. */
async function refused(options: CallOptions, faults: Record<string, string | RegExp>): Promise<Answer> {
  const answer = await workspace().call("POST", SEND, {
    ...options,
    headers: { ...options.headers, ...fromElsewhere() },
  });
  expectInvalid(answer, faults);
  expectApiHeaders(answer);
  await expectNothingBound(workspace());
  return answer;
}

/** So many calls are beyond the limit of one address. */
const fromElsewhere = () => ({ "x-forwarded-for": freshAddress() });

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const withComponents = (json: string) =>
  `{"type":"template","phone":"447700900123","templateName":"x","templateComponents":${json}}`;

describe("400 for what is no JSON", () => {
  const NOT_JSON = "not valid JSON";
  test.each([
    ["blanks", " \n\t ", "The body is empty"],
    ["a word", "hello", `${NOT_JSON}: it breaks at line 1, column 1`],
    [
      "a comma at the end",
      '{"type":"text",\n}',
      `${NOT_JSON}: it breaks at line 2, column 1. Remove the comma before it`,
    ],
    ["half of it", '{"type":"text"', `${NOT_JSON}: it breaks at line 1, column 15. It ends too early`],
    ["single quotes", "{'type':'text'}", `${NOT_JSON}: it breaks at line 1, column 2. Put names and texts in straight`],
    [
      "a chat's quotes",
      '{“type”:"text"}',
      `${NOT_JSON}: it breaks at line 1, column 2. Put names and texts in straight`,
    ],
    [
      "a bare name",
      '{"type":"text", phone:1}',
      `${NOT_JSON}: it breaks at line 1, column 17. Put names in double quotes`,
    ],
    [
      "a real line break",
      '{"content":"a\nb"}',
      `${NOT_JSON}: it breaks at line 1, column 12. Write a line break within`,
    ],
    ["Python's words", '{"previewUrl":True}', `${NOT_JSON}: it breaks at line 1, column 15. JSON has true, false`],
    ["no comma", '{"type":"text"\n "phone":"1"}', `${NOT_JSON}: it breaks at line 2, column 2. A comma is missing`],
    ["two documents", `${TEXT}{}`, NOT_JSON],
    ["JSON, but no object", "[{}]", "must be a JSON object"],
    ["UTF-16 with its mark", Buffer.from(`\ufeff${TEXT}`, "utf16le"), "not UTF-8"],
    ["UTF-16 without", Buffer.from(TEXT, "utf16le"), NOT_JSON],
    ["a character cut in half", Buffer.from('{"a":"\xf0\x9f\x91"}', "latin1"), "not UTF-8"],
  ])("%s", async (_name, rawBody, message) => {
    await refused({ rawBody: typeof rawBody === "string" ? rawBody : new Uint8Array(rawBody) }, { "": message });
  });
});

describe("400 for JSON that would be misread", () => {
  test.each([
    ["a NUL in a key", '{"templateVariables":{"a\\u0000":"1"}}', "templateVariables.a\\u0000", "NUL"],
    ["a key twice, once escaped", '{"type":"text","t\\u0079pe":"template"}', "type", "twice"],
    ["__proto__ deep inside", withComponents('[{"__proto__":1}]'), "templateComponents[0].__proto__", "reserved"],
    ["-2^53", withComponents("[-9007199254740993]"), "templateComponents[0]", "cannot be held exactly"],
    ["100,000 levels", withComponents(nested(100_000)), "", "deeper than 32"],
  ])("%s", async (_name, rawBody, path, message) => {
    await refused({ rawBody }, { [path]: message });
  });
});

describe("400 for how a body comes", () => {
  test("a form", async () => {
    for (const type of ["application/x-www-form-urlencoded", "MULTIPART/mixed"]) {
      await refused({ rawBody: TEXT, headers: { "content-type": type } }, { "Content-Type": "is a form" });
    }
  });

  test("a Content-Encoding", async () => {
    const faults = { "Content-Encoding": "is not accepted" };
    await refused({ rawBody: new Uint8Array(gzipSync(TEXT)), headers: { "content-encoding": "gzip" } }, faults);
    await refused({ rawBody: TEXT, headers: { "content-encoding": "identity" } }, faults);
  });
});

describe("400 for fields", () => {
  test("thousands of faults give an answer of a hundred, soon", async () => {
    const many = (value: unknown) => Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, value]));
    const startedAtMs = performance.now();
    for (const body of [many(1), { ...text("Hi"), templateVariables: many(1) }, text(`${"\0".repeat(40_000)}`)]) {
      const answer = await workspace().call("POST", SEND, { headers: fromElsewhere(), body });
      expect([answer.status, answer.body.error]).toEqual([400, "VALIDATION_ERROR"]);
      expect(answer.body.details.issues?.length).toBeLessThanOrEqual(100);
      expect(answer.text.length).toBeLessThan(20_000);
    }
    const long = await workspace().call("POST", SEND, { headers: fromElsewhere(), body: { ["k".repeat(200_000)]: 1 } });
    expect(long.text.length).toBeLessThan(2_000);
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    await expectNothingBound(workspace());
  });
});

test("a value that an error quotes is cut between characters, not within one", async () => {
  const { send, status } = await provisionWorkspace();
  const long = `${"a".repeat(79)}\u{1f389}${"b".repeat(20)}`;
  const key = { "Idempotency-Key": Buffer.from(long).toString("latin1") };
  expect((await send(text("Hi"), key)).status).toBe(201);
  const answers = [
    await send(text("Other"), key),
    await status(encodeURIComponent(long)),
    await send({ ...text("Hi"), contactId: long, phone: undefined }),
    await send({ ...text("Hi"), phoneNumberId: long }),
  ];
  expect(answers.map(({ status: code }) => code)).toEqual([409, 404, 404, 400]);
  for (const { body } of answers) {
    expect(body.message).toContain(`"${"a".repeat(79)}`);
    expect(body.message.isWellFormed(), body.message).toBe(true);
  }
});

describe("201", () => {
  test("a byte order mark, blanks around and any Content-Type that is no form", async () => {
    const sender = await provisionWorkspace();
    for (const options of [
      { rawBody: `\ufeff${TEXT}` },
      { rawBody: `\r\n ${TEXT}\t\n` },
      { rawBody: TEXT, headers: { "content-type": "text/plain; charset=iso-8859-1" } },
      { rawBody: TEXT, headers: { "content-type": "" } },
    ]) {
      const answer = await sender.call("POST", SEND, options);
      expect(answer.status, answer.text).toBe(201);
    }
  });
});

describe("never 5xx", () => {
  const sender = sharedWorkspace();

  test("whatever a header holds", async () => {
    const name = fc.constantFrom(
      ...["apiKey", "X-API-Secret", "Idempotency-Key", "Content-Type", "X-Forwarded-For", "Accept", "Accept-Encoding"],
      ...[
        "Cookie",
        "Range",
        "If-None-Match",
        "If-Modified-Since",
        "Origin",
        "Referer",
        "Upgrade",
        "Traceparent",
        "Host",
      ],
      ...["RSC", "Next-Action", "Next-Router-State-Tree", "Next-Router-Prefetch", "Next-Url", "X-Nextjs-Data"],
      ...["X-Matched-Path", "X-Invoke-Path", "X-Invoke-Status", "X-Prerender-Revalidate", "X-Now-Route-Matches"],
    );
    const value = fc.oneof(
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
      fc.constantFrom("1", "[", "{}", "%", "%E0%A4%A", "../../..", "text/x-component", "websocket", "404", '["",{}]'),
    );
    const path = fc.constantFrom(SEND, "/api/v1/public/templates", "/api/v1/public/messages/msg_1", "/api/health");
    const method = fc.constantFrom("GET", "POST");
    await fc.assert(
      fc.asyncProperty(method, path, fc.dictionary(name, value, { maxKeys: 3 }), async (method, path, given) => {
        const { apiKey, apiSecret } = sender();
        const own = { Host: "a", "X-Forwarded-For": freshAddress(), apiKey, apiSecret };
        const lines = Object.entries({ ...own, ...given }).map(([name, value]) => `${name}: ${value}`);
        const length = `Content-Length: ${method === "POST" ? 2 : 0}\r\n\r\n${method === "POST" ? "{}" : ""}`;
        const bytes = `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n${length}`;
        const answer = await rawRequest(sender().baseUrl, bytes);
        expect(answer?.status, JSON.stringify({ method, path, given })).toBeLessThan(500);
        if (answer && answer.status >= 400) expect(Object.keys(answer.body)).toEqual(["error", "message", "details"]);
      }),
      { numRuns: 200 },
    );
  });
});
