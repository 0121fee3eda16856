import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isActionBody } from "@/lib/auth/page-request";

const ID = "7f".padEnd(42, "0");

// React's own writer, as it runs in a browser.
const { encodeReply }: { encodeReply: (value: unknown) => Promise<string | FormData> } = createRequire(import.meta.url)(
  "next/dist/compiled/react-server-dom-turbopack/client.browser",
);

const written = async (arguments_: unknown[]) => {
  const response = new Response(await encodeReply(arguments_));
  return {
    headers: new Headers({ "next-action": ID, "content-type": response.headers.get("content-type") ?? "" }),
    body: new Uint8Array(await response.arrayBuffer()),
  };
};

const field = fc.string({ unit: "binary" }).filter((name) => name.isWellFormed());
const form = fc.array(fc.tuple(field, fc.string({ unit: "grapheme", maxLength: 2_000 }))).map((pairs) => {
  const data = new FormData();
  for (const [name, value] of pairs) data.append(name, value);
  return data;
});
// React takes no objects without a prototype.
const PLAIN = { noNullPrototype: true } as const;

const state = fc.oneof(
  fc.constant(null),
  fc.record(
    {
      ok: fc.boolean(),
      message: fc.string({ unit: "grapheme" }),
      issues: fc.dictionary(fc.string(), fc.string(), PLAIN),
      value: fc.oneof(
        fc.jsonValue({ maxDepth: 5, ...PLAIN }),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(2 ** 42) }),
        fc.constant(undefined),
      ),
    },
    PLAIN,
  ),
);

describe("isActionBody", () => {
  test("is true of what React writes for a form, alone or behind a state", async () => {
    await fc.assert(
      fc.asyncProperty(form, state, async (given, before) => {
        for (const list of [[given], [before, given]]) {
          const { headers, body } = await written(list);
          expect(await isActionBody(headers, body)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("is false of every other list that React writes", async () => {
    const other = fc.oneof(state, fc.string(), fc.integer(), fc.constant(new Map([[1, 2]])), fc.constant(1n));
    await fc.assert(
      fc.asyncProperty(fc.array(other, { maxLength: 4 }), form, async (list, given) => {
        for (const arguments_ of [list, [given, ...list, null], [null, null, given]]) {
          const { headers, body } = await written(arguments_);
          expect(await isActionBody(headers, body)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("throws at nothing", async () => {
    const type = fc.constantFrom("multipart/form-data; boundary=x", "multipart/form-data", "", "text/plain");
    const part = fc.oneof(
      fc.constantFrom("--x", "\r\n", "--", 'Content-Disposition: form-data; name="0"', "$K1", "["),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(type, fc.array(part), fc.option(fc.constant(ID)), async (contentType, parts, id) => {
        const headers = new Headers({ "content-type": contentType, ...(id ? { "next-action": id } : {}) });
        expect(await isActionBody(headers, Buffer.from(parts.join("")))).toBe(false);
      }),
    );
  });
});
