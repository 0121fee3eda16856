import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectApiHeaders } from "../../support/edge-headers";
import { freshAddress } from "../../support/limits";
import { rawRequest } from "../../support/raw-http";
import { expectInvalid, expectNothingBound } from "../../support/sends";
import { type Answer, type CallOptions, provisionWorkspace } from "../../support/workspace";

const SEND = "/api/v1/public/messages/send";
const text = (content: string) => ({ type: "text", phone: "447700900123", content });
const TEXT = JSON.stringify(text("Hi"));

/** A send that must be refused with these faults and leave nothing behind. */
const refused = async (options: CallOptions, faults: Record<string, string | RegExp>): Promise<Answer> => {
  const workspace = await provisionWorkspace();
  const answer = await workspace.call("POST", SEND, options);
  expectInvalid(answer, faults);
  expectApiHeaders(answer);
  await expectNothingBound(workspace);
  return answer;
};

const accepted = async (options: CallOptions): Promise<void> => {
  const workspace = await provisionWorkspace();
  const answer = await workspace.call("POST", SEND, options);
  expect(answer.status, answer.text).toBe(201);
};

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const withComponents = (json: string) =>
  `{"type":"template","phone":"447700900123","templateName":"x","templateComponents":${json}}`;

describe("400 for what is no JSON", () => {
  const NOT_JSON = "not valid JSON";
  test.each([
    ["nothing", "", "The body is empty"],
    ["blanks", " \n\t ", "The body is empty"],
    ["a word", "hello", `${NOT_JSON}: it breaks at line 1, column 1`],
    ["an unknown word as a value", '{"a":x}', `${NOT_JSON}: it breaks at line 1, column 6`],
    ["a comma at the end", '{"type":"text",\n}', `${NOT_JSON}: it breaks at line 2, column 1`],
    ["single quotes", "{'type':'text'}", `${NOT_JSON}: it breaks at line 1, column 2`],
    ["half of it", '{"type":"text"', `${NOT_JSON}: it breaks at line 1, column 15`],
    ["two documents", `${TEXT}{}`, NOT_JSON],
    ["a comment", `/* hi */${TEXT}`, NOT_JSON],
    ["NaN", '{"a":NaN}', NOT_JSON],
    ["a bare NUL", '{"a":"\0"}', NOT_JSON],
    ["a bare line break in a string", '{"a":"\n"}', NOT_JSON],
    ["a form", "type=text&phone=447700900123", NOT_JSON],
  ])("%s", async (_name, rawBody, message) => {
    await refused({ rawBody }, { "": message });
  });

  test.each([
    ["UTF-16 with its mark", Buffer.from(`\ufeff${TEXT}`, "utf16le"), "not UTF-8"],
    ["UTF-16 without", Buffer.from(TEXT, "utf16le"), NOT_JSON],
    ["Latin-1", Buffer.from('{"type":"text","content":"Grüße"}', "latin1"), "not UTF-8"],
    ["a surrogate in UTF-8", Buffer.from('{"a":"\xed\xa0\x80"}', "latin1"), "not UTF-8"],
    ["an overlong NUL", Buffer.from('{"a":"\xc0\x80"}', "latin1"), "not UTF-8"],
    ["a character cut in half", Buffer.from('{"a":"\xf0\x9f\x91"}', "latin1"), "not UTF-8"],
  ])("%s", async (_name, rawBody, message) => {
    await refused({ rawBody: new Uint8Array(rawBody) }, { "": message });
  });

  test.each(["[]", "[{}]", '"text"', "null", "42", "true"])("%s is JSON, but no object", async (rawBody) => {
    await refused({ rawBody }, { "": "must be a JSON object" });
  });
});

describe("400 for JSON that would be misread", () => {
  test.each([
    ["a NUL", '{"type":"text","phone":"447700900123","content":"a\\u0000b"}', "content", "NUL"],
    ["a NUL in a key", '{"templateVariables":{"a\\u0000":"1"}}', "templateVariables.a\\u0000", "NUL"],
    ["half a surrogate pair", '{"content":"\\ud83d"}', "content", "surrogate"],
    ["the other half first", '{"content":"\\udc4b\\ud83d"}', "content", "surrogate"],
    ["a key twice", '{"type":"text","phone":"1","type":"template"}', "type", "twice"],
    ["a key twice, once escaped", '{"type":"text","t\\u0079pe":"template"}', "type", "twice"],
    ["a key twice, deep inside", '{"carousel":{"cards":[{"index":0,"index":1}]}}', "carousel.cards[0].index", "twice"],
    ["__proto__", '{"__proto__":{"type":"text"}}', "__proto__", "reserved"],
    ["__proto__ deep inside", withComponents('[{"__proto__":1}]'), "templateComponents[0].__proto__", "reserved"],
    ["1e400", withComponents("[1e400]"), "templateComponents[0]", "cannot be held exactly"],
    ["2^63", withComponents("[9223372036854775808]"), "templateComponents[0]", "cannot be held exactly"],
    ["-2^53", withComponents("[-9007199254740993]"), "templateComponents[0]", "cannot be held exactly"],
    ["33 levels", withComponents(nested(32)), "", "deeper than 32"],
    ["100,000 levels", withComponents(nested(100_000)), "", "deeper than 32"],
  ])("%s", async (_name, rawBody, path, message) => {
    await refused({ rawBody }, { [path]: message });
  });

  test("the same inside the JSON of an interactive content, whose path begins there", async () => {
    const send = (content: string) => ({ body: { type: "interactive", phone: "447700900123", content } });
    await refused(send('{"type":"button","type":"list"}'), { "content.type": "twice" });
    await refused(send('{"body":"\\ud800"}'), { "content.body": "surrogate" });
    await refused(send('{"__proto__":{}}'), { "content.__proto__": "reserved" });
    await refused(send(nested(33)), { content: "deeper than 32" });
    await refused(send('{"body":x}'), { content: "it breaks at line 1, column 9" });
  });

  test("constructor, prototype and toString are ordinary unknown names", async () => {
    const message = "is not a field of this request";
    await refused(
      { body: { ...text("Hi"), constructor: 1, prototype: 1, toString: 1, "": 1 } },
      { constructor: message, prototype: message, toString: message, "": message },
    );
  });
});

describe("400 for how a body comes", () => {
  test.each(["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "MULTIPART/mixed"])(
    "a form: %s",
    async (type) => {
      await refused({ rawBody: TEXT, headers: { "content-type": type } }, { "Content-Type": "is a form" });
    },
  );

  test.each(["gzip", "br", "deflate", "identity", "x"])("a Content-Encoding: %s", async (encoding) => {
    const rawBody = encoding === "gzip" ? new Uint8Array(gzipSync(TEXT)) : TEXT;
    await refused({ rawBody, headers: { "content-encoding": encoding } }, { "Content-Encoding": "is not accepted" });
  });
});

describe("400 for fields", () => {
  test("an unknown field with the one that may have been meant", async () => {
    await refused(
      { body: { ...text("Hi"), phonenumberid: "pn_1", idempotency_key: "a", somethingElse: 1 } },
      {
        phonenumberid: "Did you mean `phoneNumberId`?",
        idempotency_key: "Did you mean `idempotencyKey`?",
        somethingElse: "Remove it",
      },
    );
  });

  test("all faults at once, each by its name", async () => {
    await refused(
      {
        body: {
          type: "text",
          phone: 447700900123,
          contactId: "",
          phoneNumberId: 7,
          revalidateFlowSession: "yes",
          templateName: "x",
          idempotencyKey: "k".repeat(256),
          contents: "Hi",
        },
      },
      {
        phone: 'must be a string of digits: "447700900123"',
        contactId: "is empty",
        phoneNumberId: "must be a string",
        revalidateFlowSession: "must be a boolean",
        templateName: "cannot be used with type",
        idempotencyKey: "has 256 characters, limit 255",
        contents: "Did you mean `content`?",
        content: "is required",
      },
    );
  });

  test("an empty object lacks a type and a recipient", async () => {
    await refused({ body: {} }, { type: "is required", phone: "is required" });
  });

  test("4,097 characters are too many, whatever they are made of", async () => {
    const message = "has 4097 characters, limit 4096";
    await refused({ body: text("a".repeat(4_097)) }, { content: message });
    await refused({ body: text("👋".repeat(4_097)) }, { content: message });
    await refused({ body: text(" \n\t\u00a0") }, { content: "is blank" });
  });

  test("thousands of faults give an answer of a hundred, soon", async () => {
    const workspace = await provisionWorkspace();
    const many = (value: unknown) => Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, value]));
    const startedAtMs = performance.now();
    for (const body of [many(1), { ...text("Hi"), templateVariables: many(1) }, text(`${"\0".repeat(40_000)}`)]) {
      const answer = await workspace.call("POST", SEND, { body });
      expect([answer.status, answer.body.error]).toEqual([400, "VALIDATION_ERROR"]);
      expect(answer.body.details.issues?.length).toBeLessThanOrEqual(100);
      expect(answer.text.length).toBeLessThan(20_000);
    }
    const long = await workspace.call("POST", SEND, { body: { ["k".repeat(200_000)]: 1 } });
    expect(long.text.length).toBeLessThan(2_000);
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    await expectNothingBound(workspace);
  });
});

describe("201", () => {
  test("a byte order mark, blanks around and any Content-Type that is no form", async () => {
    await accepted({ rawBody: `\ufeff${TEXT}` });
    await accepted({ rawBody: `\r\n ${TEXT}\t\n` });
    await accepted({ rawBody: TEXT, headers: { "content-type": "text/plain; charset=iso-8859-1" } });
    await accepted({ rawBody: TEXT, headers: { "content-type": "" } });
  });

  test("null means absent in every optional field", async () => {
    const fields = ["contactId", "templateName", "templateVariables", "carousel", "idempotencyKey", "phoneNumberId"];
    const nulls = Object.fromEntries([...fields, "revalidateFlowSession"].map((name) => [name, null]));
    await accepted({ body: { ...nulls, ...text("Hi") } });
  });

  test("4,096 characters pass, whatever they are made of", async () => {
    await accepted({ body: text("a".repeat(4_096)) });
    await accepted({ body: text("👋".repeat(4_096)) });
  });
});

describe("never 5xx", () => {
  test("whatever the body", async () => {
    const workspace = await provisionWorkspace();
    const field = fc.constantFrom(
      "type",
      "phone",
      "contactId",
      "content",
      "templateName",
      "carousel",
      "idempotencyKey",
    );
    const body = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.string({ unit: "binary" }),
      fc.dictionary(field, fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.stringify(value)),
      fc
        .dictionary(field, fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()))
        .map((value) => JSON.stringify({ type: "template", phone: "447700900123", templateName: "x", ...value })),
    );
    await fc.assert(
      fc.asyncProperty(body, async (rawBody) => {
        const headers = { "x-forwarded-for": freshAddress() };
        const answer = await workspace.call("POST", SEND, { rawBody, headers });
        expect(answer.status, answer.text).toBeLessThan(500);
      }),
      { numRuns: 280 },
    );
  }, 60_000);

  test("whatever a header holds", async () => {
    const workspace = await provisionWorkspace();
    const name = fc.constantFrom(
      "apiKey",
      "X-API-Secret",
      "Idempotency-Key",
      "Content-Type",
      "X-Forwarded-For",
      "Accept",
      "Accept-Encoding",
      "Cookie",
      "RSC",
      "Next-Action",
      "Next-Router-State-Tree",
      "Next-Router-Prefetch",
      "X-Nextjs-Data",
      "Range",
      "X-Matched-Path",
      "X-Invoke-Path",
      "X-Invoke-Status",
      "X-Prerender-Revalidate",
      "X-Now-Route-Matches",
      "If-None-Match",
      "If-Modified-Since",
      "Origin",
      "Referer",
      "Upgrade",
      "Next-Url",
      "Traceparent",
      "Host",
    );
    const value = fc.oneof(
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
      fc.constantFrom("1", "[", "{}", "%", "%E0%A4%A", "../../..", "text/x-component", "websocket", "404", '["",{}]'),
    );
    const path = fc.constantFrom(SEND, "/api/v1/public/templates", "/api/v1/public/messages/msg_1", "/api/health");
    const method = fc.constantFrom("GET", "POST");
    await fc.assert(
      fc.asyncProperty(method, path, fc.dictionary(name, value, { maxKeys: 3 }), async (method, path, given) => {
        const own = {
          Host: "a",
          "X-Forwarded-For": freshAddress(),
          apiKey: workspace.apiKey,
          apiSecret: workspace.apiSecret,
        };
        const lines = Object.entries({ ...own, ...given }).map(([name, value]) => `${name}: ${value}`);
        const length = `Content-Length: ${method === "POST" ? 2 : 0}\r\n\r\n${method === "POST" ? "{}" : ""}`;
        const answer = await rawRequest(
          workspace.baseUrl,
          `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n${length}`,
        );
        expect(answer?.status, JSON.stringify({ method, path, given })).toBeLessThan(500);
        if (answer && answer.status >= 400) expect(Object.keys(answer.body)).toEqual(["error", "message", "details"]);
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
