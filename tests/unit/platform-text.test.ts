import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reasonText, storableText } from "@/lib/whatsapp/wire";

describe("storableText", () => {
  test("loses NUL and fixes lone surrogates, and nothing else", () => {
    expect(storableText("a\0b\ud800c\udc00 📦 \n")).toBe("ab\ufffdc\ufffd 📦 \n");
  });

  test("leaves text that Postgres takes as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const isStorable = !text.includes("\0");
        fc.pre(isStorable);
        expect(storableText(text)).toBe(text);
      }),
    );
  });
});

describe("reasonText", () => {
  test("is one line", () => {
    expect(reasonText(" first\r\nsecond\tthird\u0007\u0085 ")).toBe("first second third");
  });

  test("has at most 1,000 characters, the last one whole", () => {
    expect([...reasonText("x📦".repeat(1_000))]).toHaveLength(1_000);
    expect(reasonText("x📦".repeat(1_000)).endsWith("x📦")).toBe(true);
  });
});
