import fc from "fast-check";
import { expect, test } from "vitest";
import { TEMPLATE_QUERY } from "@/lib/api/endpoints/list-templates";
import { storableHeader } from "@/lib/api/log/request-record";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { readSearchTerm } from "@/lib/core/search-term";
import { characterCount, cutText, listSome, quote, shorten } from "@/lib/core/text";
import { pathText, unknownField } from "@/lib/http/issues";
import { readContent } from "@/lib/whatsapp/inbound-content";
import { PhoneNumberRecord, reasonText, wordOf } from "@/lib/whatsapp/wire";

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
      expect(cut).toBe([...text].slice(0, most).join(""));
      if (text.isWellFormed()) expect([short.isWellFormed(), cut.isWellFormed()]).toEqual([true, true]);
    }),
  );
  expect(shorten(`e${"\u0301".repeat(50)}`, 10)).toBe(`e${"\u0301".repeat(9)}…`);
});

const nameOfFile = (filename: string) =>
  readContent({ type: "document", document: { id: "1", mime_type: "text/csv", filename } }).media?.fileName;

const shownNumber = (text: string) =>
  PhoneNumberRecord.parse({ id: "1", display_phone_number: text }).displayPhoneNumber;

const answerOf = (json: string) => ({ type: "interactive", interactive: { nfm_reply: { response_json: json } } });

const searchedName = (text: string) => {
  const search = readContactSearch(text, "owner");
  return search?.by === "name" ? search.prefix : undefined;
};

/** As long as the longest limit, so that each is in the middle of it. */
const FLOWERS = "🌺".repeat(70_000);

test.each<[string, (text: string) => string | null | undefined]>([
  ["a received text", (text) => readContent({ type: "text", text: { body: text } }).text],
  ["a received file's name", (text) => nameOfFile(text)],
  ["a reason of WhatsApp's", reasonText],
  ["a number as WhatsApp shows it", shownNumber],
  ["a header", storableHeader],
  ["a field of a call", (text) => pathText([text])],
  ["a field that a call does not have", (text) => unknownField(text, []).path],
  ["a searched name", (text) => searchedName(text)],
])("%s that is cut keeps whole characters", (_what, cut) => {
  for (const before of ["", "a", "ab"]) {
    const kept = cut(`${before}${FLOWERS}`) ?? "";
    expect(kept.replace(/^a?b?/, "")).toMatch(/^(🌺)+$/u);
  }
});

test.each<[string, number, (text: string) => boolean]>([
  ["a received text", 65_536, (text) => !readContent({ type: "text", text: { body: text } }).isTruncated],
  ["a received answer of a flow", 65_536, (text) => readContent(answerOf(text)).payload !== null],
  ["a name", 200, (text) => wordOf(text) !== null],
  ["a searched key of a call", 255, (text) => readSearchTerm(text) !== undefined],
  ["a searched template", 512, (text) => TEMPLATE_QUERY.safeParse({ name: text }).success],
])("%s may have %d characters, whatever each of them is made of", (_what, most, fits) => {
  for (const one of ["a", "é", "🌺"])
    expect([fits(one.repeat(most)), fits(one.repeat(most + 1))]).toEqual([true, false]);
});

test("a quoted value is one short line, whatever the caller sent", () => {
  expect(quote("a\r\nb")).toBe('"a b"');
  expect(quote("x".repeat(10_000))).toBe(`"${"x".repeat(40)}…"`);
});

test("a list says how many it leaves out", () => {
  expect(listSome(["a", "b"], 2)).toBe("a, b");
  expect(listSome(["a", "b", "c", "d"], 2)).toBe("a, b and 2 more");
});
