import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SEND_FIELDS } from "@/lib/api/send-fields";
import { maskNumbers, readPhone, searchedDigits } from "@/lib/core/phone";

describe("a recipient's number", () => {
  test.each([
    ["+44 (7700) 900-123", "447700900123"],
    ["44.7700.900.123", "447700900123"],
    ["(+44) 7700900123", "447700900123"],
    ["1234567", "1234567"],
    ["123456789012345", "123456789012345"],
  ])("%s is its digits", (given, phone) => {
    expect(readPhone(given)).toEqual({ phone });
  });

  test.each([
    ["00447700900123", "Send the country code first: 447700900123."],
    ["+00447700900123", "Send the country code first: 447700900123."],
    ["07700900123", "national"],
    ["+44 (0)7700 900123", "Leave it out: 447700900123."],
    ["+44 ( 0 ) 7700 900123", "Leave it out: 447700900123."],
    ["123456", "7 to 15"],
    ["1234567890123456", "has 16 digits"],
    ["", "has no digits"],
    ["+", "has no digits"],
    ["++447700900123", "has 2 plus signs. Send one at the start, or none, like 447700900123."],
    ["+ +44 7700 +900123", "has 3 plus signs."],
    ["(0)7700 900123", "Send it with its country code instead of the leading 0"],
    ["0044 (0)7700 900123", "Send the country code first: 447700900123."],
    ["447700+900123", "a plus sign that is not at the start"],
    ["４４７７００９００１２３", "a full-width 4 (U+FF14)"],
    ["＋447700900123", "a full-width + (U+FF0B)"],
    ["٤٤٧٧٠٠٩٠٠١٢٣", "a digit other than 0 to 9: ٤ (U+0664)"],
    ["+91 ९८765 43210", "a digit other than 0 to 9: ९ (U+096F)"],
    ["44𝟕700900123", "a digit other than 0 to 9: 𝟕 (U+1D7D5)"],
    ["44770O900123", "holds the letter O."],
    ["44770О900123", "holds the letter О (U+041E)."],
    ["447700900123\n", "a line break"],
    ["4477\t00900123", "a tab"],
    ["447700900123\u0007", "the character U+0007"],
    ["4477⃣00900123", "the character U+20E3"],
    ["447700900123;DROP TABLE", "the character ;"],
    ["447700/900123", "the character /"],
    ["\u202a+44 (0)7700‑900123\u202c", "Leave it out: 447700900123."],
    ["\u200e0044 7700 900123", "Send the country code first: 447700900123."],
    ["\u2066\u2069", "has no digits"],
  ])("%j is refused with the right form", (given, words) => {
    expect(readPhone(given)).toEqual({ fault: expect.stringContaining(words) });
  });

  const odd = fc.constantFrom(
    ..."\u00a0\u00ad\u061c\u2007\u200b\u200c\u200d\u200e\u200f\u2009\u202a\u202b\u202c\u202d\u202e\u202f\u2060\u2066\u2067\u2068\u2069\u3000\ufe0e\ufeff",
    ..."\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d",
    ..." -.()",
  );

  test("whatever invisible characters, spaces and dashes a chat puts between them, the digits are read", () => {
    const marks = fc.string({ unit: odd, maxLength: 4 });
    const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
    fc.assert(
      fc.property(digits, marks, marks, marks, fc.nat(14), (phone, before, within, after, at) => {
        // "(0)" is a rule of its own.
        fc.pre(phone.charAt(at % phone.length) !== "0" && phone.charAt((at % phone.length) - 1) !== "0");
        const given = `${before}+${phone.slice(0, at % phone.length)}${within}${phone.slice(at % phone.length)}${after}`;
        expect(readPhone(given)).toEqual({ phone });
        expect(given).toMatch(new RegExp(SEND_FIELDS.phone.meta()?.pattern as string));
        expect(searchedDigits(given)).toBe(phone);
        expect(maskNumbers(`no ${given}`)).not.toContain(given.replace(/^[^0-9]+/, ""));
      }),
    );
  });

  test("a number is its ASCII digits, or a fault that names a character: never another number", () => {
    const text = fc.string({
      unit: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(..."+0123456789") },
        odd,
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(text, (given) => {
        const reading = readPhone(given);
        if ("phone" in reading) expect(given.match(/[0-9]/g)?.join("")).toBe(reading.phone);
        else expect(reading.fault).toMatch(/^".*" (holds|has|begins|looks) .*\.$/su);
      }),
    );
  });
});
