import fc from "fast-check";
import { expect, test } from "vitest";
import { characterCount, cutText, listSome, quote, shorten } from "@/lib/core/text";

test("lengths are counted in code points, not in UTF-16 units", () => {
  expect(characterCount("😀é€")).toBe(3);
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => characterCount(text) === [...text].length));
});

/** Of several code points each, as people type them. */
const visible = fc.constantFrom("a", "é", "e\u0301", "👩🏽‍🚀", "🇩🇪", "क्षि", "한", "✓");

test("shortening keeps whole visible characters, as many as there is room for, and leaves short texts alone", () => {
  fc.assert(
    fc.property(fc.array(visible), fc.integer({ min: 9, max: 30 }), (characters, most) => {
      const text = characters.join("");
      let kept = 0;
      while (kept < characters.length && characterCount(characters.slice(0, kept + 1).join("")) <= most) kept += 1;
      const expected = kept === characters.length ? text : `${characters.slice(0, kept).join("")}…`;
      expect(shorten(text, most)).toBe(expected);
    }),
  );
});

test("any cut of any text is at most as long as it may be, and holds no half of a code point that was whole", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, most) => {
      const short = shorten(text, most);
      expect(characterCount(short)).toBeLessThanOrEqual(characterCount(text) > most ? most + 1 : most);
      const cut = cutText(text, most);
      expect(text.startsWith(cut) && cut.length <= most && cut.length >= Math.min(text.length, most - 1)).toBe(true);
      if (text.isWellFormed()) expect([short.isWellFormed(), cut.isWellFormed()]).toEqual([true, true]);
    }),
  );
  expect(shorten(`e${"\u0301".repeat(50)}`, 10)).toBe(`e${"\u0301".repeat(9)}…`);
});

test("a quoted value is one short line, whatever the caller sent", () => {
  expect(quote("a\r\nb")).toBe('"a b"');
  expect(quote("x".repeat(10_000))).toBe(`"${"x".repeat(40)}…"`);
});

test("a list says how many it leaves out", () => {
  expect(listSome(["a", "b"], 2)).toBe("a, b");
  expect(listSome(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
});
