import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import metadata from "libphonenumber-js/min/metadata";

/** The countries of each calling code, the largest first. */
const COUNTRIES = new Map<string, readonly string[]>(Object.entries(metadata.country_calling_codes));
const MAX_CODE_DIGITS = 3;

/**
 * Returns the ISO code of a recipient's country: from the digits of a number, or from a user id such as `US.13491208`.
 * A number that no plan has counts to the largest country of its calling code. Null for anything else.
 */
export function countryOf(recipient: string): string | null {
  const [, ofUserId] = /^([A-Z]{2})\./.exec(recipient) ?? [];
  if (ofUserId) return ofUserId;
  if (!/^\d{7,15}$/.test(recipient)) return null;
  const [first, ...others] = countriesOfCode(recipient);
  // Reading the whole number takes a hundred times as long, and few codes are those of several countries.
  if (others.length === 0) return first ?? null;
  return parsePhoneNumberFromString(`+${recipient}`)?.country ?? first ?? null;
}

/** Codes that several countries of their own share: none of them stands for the others. */
const SHARED_CODES = ["1", "7"];

/** Territories by the country whose calling code they share, such as GB of Jersey; not in +1 and +7. */
export const TERRITORIES: ReadonlyMap<string, string> = new Map(
  [...COUNTRIES].flatMap(([code, [main, ...others]]) =>
    main === undefined || SHARED_CODES.includes(code) ? [] : others.map((territory) => [territory, main] as const),
  ),
);

/** Returns the country that most numbers are of, such as the lines of a workspace; null without any. */
export function commonCountry(numbers: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const number of numbers) {
    const country = countryOf(number.replace(/\D/g, ""));
    // British examples such as 07911 123456 are Guernsey's.
    const main = country && (TERRITORIES.get(country) ?? country);
    if (main) counts.set(main, (counts.get(main) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? null;
}

/** Returns the largest country of a calling code such as 41; undefined for what is none. */
export function countryOfCode(code: string): string | undefined {
  return COUNTRIES.get(code)?.[0];
}

/** No code is the beginning of another. */
function countriesOfCode(digits: string): readonly string[] {
  for (let length = 1; length <= MAX_CODE_DIGITS; length++) {
    const countries = COUNTRIES.get(digits.slice(0, length));
    if (countries) return countries;
  }
  return [];
}
