import fc from "fast-check";
import { expect, test } from "vitest";
import { characterCount, listSome, quote, shorten } from "@/lib/core/text";

test("lengths are counted in code points, not in UTF-16 units", () => {
  expect(characterCount("😀é€")).toBe(3);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => characterCount(text) === [...text].length));
});

test("shortening keeps whole code points and leaves short texts alone", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, characters) => {
      const points = [...text];
      const expected = points.length > characters ? `${points.slice(0, characters).join("")}…` : text;
      expect(shorten(text, characters)).toBe(expected);
    }),
  );
});

test("a quoted value is one short line, whatever the caller sent", () => {
  expect(quote("a\r\nb")).toBe('"a b"');
  expect(quote("x".repeat(10_000))).toBe(`"${"x".repeat(40)}…"`);
});

test("a list says how many it leaves out", () => {
  expect(listSome(["a", "b"], 2)).toBe("a, b");
  expect(listSome(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
});
