import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import metadata from "libphonenumber-js/min/metadata";
import { expect, test } from "vitest";
import { countryOf } from "@/lib/core/country";
import { countryName } from "@/lib/core/country-name";
import { ERASED_PHONE } from "@/lib/core/phone";

test.each([
  ["14155552671", "US"],
  ["16135550123", "CA"],
  ["18765551234", "JM"],
  ["79261234567", "RU"],
  ["77011234567", "KZ"],
  ["447400123456", "GB"],
  ["447797712345", "JE"],
  ["5511987654321", "BR"],
  // An older form, with eight digits.
  ["551187654321", "BR"],
  ["8801712345678", "BD"],
  // No plan has these: the example of our docs, and digits that are too many.
  ["447700900123", "GB"],
  ["4477009001239999", null],
  ["19999999999", "US"],
  // Satellites, and a code that no country has.
  ["881612345678", null],
  ["999123456", null],
  ["US.13491208655302741918", "US"],
  ["BR.ENT.11815799212886844830", "BR"],
  ["us.1", null],
  [ERASED_PHONE, null],
  ["", null],
])("%s is of %s", (recipient, country) => {
  expect(countryOf(recipient)).toBe(country);
});

test("any recipient has a code of two letters, or none", () => {
  const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);
  fc.assert(
    fc.property(fc.oneof(digits, fc.string(), fc.stringMatching(/^[A-Z]{2}\.\w*$/)), (recipient) => {
      expect(countryOf(recipient) ?? "GB").toMatch(/^[A-Z]{2}$/);
    }),
  );
});

test("the short way to a country agrees with reading the whole number, for each calling code", () => {
  const codes = Object.entries(metadata.country_calling_codes);
  const number = fc
    .tuple(fc.constantFrom(...codes), fc.stringMatching(/^\d{6,12}$/))
    .map(([[code, [largest]], rest]) => ({ digits: `${code}${rest}`.slice(0, 15), largest }));
  fc.assert(
    fc.property(number, ({ digits, largest }) => {
      expect(countryOf(digits)).toBe(parsePhoneNumberFromString(`+${digits}`)?.country ?? largest);
    }),
    { numRuns: 2_000 },
  );
});

test("a country is named in English, and an unknown code names itself", () => {
  expect(["BR", "XK", "ZZ", "AA", '"', "constructor"].map(countryName)).toEqual([
    "Brazil",
    "Kosovo",
    "Unknown Region",
    "AA",
    '"',
    "constructor",
  ]);
});
