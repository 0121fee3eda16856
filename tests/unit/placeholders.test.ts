import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findPlaceholders, substitute, textAround } from "@/lib/whatsapp/placeholders";

const plainText = fc.string().filter((text) => !/[{}]/.test(text));
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);

describe("finding placeholders", () => {
  test("names come in the order of first appearance, each once", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plainText, name)), (parts) => {
        const text = parts.map(([plain, key]) => `${plain}{{${key}}}`).join("");
        expect(findPlaceholders(text)).toEqual([...new Set(parts.map(([, key]) => key))]);
      }),
    );
  });

  test("numbers come by size, not by place or by spelling", () => {
    expect(findPlaceholders("{{10}} before {{2}}, {{2}} again, then {{ 1 }}")).toEqual(["1", "2", "10"]);
  });

  test("single, empty and broken braces are text", () => {
    expect(findPlaceholders("{1} {{}} {{a b}} {{1} }} {{x-y}}")).toEqual([]);
  });
});

describe("substituting", () => {
  test("a value that looks like a placeholder or a replacement pattern stays as it is", () => {
    const values = new Map([
      ["1", "{{2}}"],
      ["2", "$& $1"],
    ]);
    expect(substitute("{{1}} and {{2}} and {{3}}", values)).toBe("{{2}} and $& $1 and {{3}}");
  });
});

describe("the text around a slot", () => {
  test("is cut on both sides and keeps the placeholder whole", () => {
    const text = `${"a".repeat(50)} order {{2}} is ready ${"b".repeat(50)}`;
    expect(textAround(text, "2")).toBe(`…${"a".repeat(13)} order {{2}} is ready ${"b".repeat(10)}…`);
  });

  test("is short for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, after) => {
        expect([...textAround(`${before}{{k}}${after}`, "k")].length).toBeLessThanOrEqual(20 + 5 + 20 + 2);
      }),
    );
  });
});
