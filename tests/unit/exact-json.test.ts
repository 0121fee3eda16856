import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readExactJson } from "@/lib/core/json";

describe("readExactJson", () => {
  test.each([
    ['{"id":9007199254740993}', { id: "9007199254740993" }],
    ["[-9007199254740993 , 9007199254740991]", ["-9007199254740993", 9007199254740991]],
    ["12345678901234567890", "12345678901234567890"],
    ['{"a":"x 9007199254740993, \\" 9007199254740993"}', { a: 'x 9007199254740993, " 9007199254740993' }],
    ['{"a\\\\":9007199254740993}', { "a\\": "9007199254740993" }],
    ["[0.5,1e400]", [0.5, Number.POSITIVE_INFINITY]],
  ])("%s keeps every digit", (text, value) => {
    expect(readExactJson(text)).toEqual(value);
  });

  test.each(["", "{", '"', '{"a":1}}', "NaN", '{"a":"\n"}'])("%j is no JSON", (text) => {
    expect(readExactJson(text)).toBeUndefined();
  });

  test("64 levels are read, 65 are not, a million neither", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(readExactJson(nested(64))).toBeDefined();
    expect(readExactJson(nested(65))).toBeUndefined();
    expect(readExactJson(nested(1_000_000))).toBeUndefined();
  });

  test("any JSON is read as JSON.parse reads it, but for its big integers", () => {
    const isBig = (value: unknown) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) && !/e/.test(String(value));
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        const expected = JSON.parse(text, (_, value: unknown) => (isBig(value) ? String(value) : value));
        expect(readExactJson(text)).toEqual(expected);
      }),
    );
  });

  test("an integer of any length comes back with all its digits", () => {
    fc.assert(
      fc.property(fc.bigInt(), (id) => {
        const isSafe = Number.isSafeInteger(Number(id));
        expect(readExactJson(`{"id":${id}}`)).toEqual({ id: isSafe ? Number(id) : String(id) });
      }),
    );
  });
});
