import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import metadata from "libphonenumber-js/min/metadata";

/** The countries of each calling code, the largest first. */
const COUNTRIES = new Map<string, readonly string[]>(Object.entries(metadata.country_calling_codes));
const PLANS = new Map(Object.entries(metadata.countries));
const MAX_CODE_DIGITS = 3;

/**
 * Returns the ISO code of a recipient's country: from the digits of a number, or from a user id such as `US.13491208`.
 * A number that no plan has counts to the largest country of its calling code. Null for anything else.
 */
export function countryOf(recipient: string): string | null {
  const [, ofUserId] = /^([A-Z]{2})\./.exec(recipient) ?? [];
  if (ofUserId) return ofUserId;
  if (!/^\d{7,15}$/.test(recipient)) return null;
  const [code, countries] = codeOf(recipient);
  const [largest] = countries;
  if (largest === undefined || countries.length === 1) return largest ?? null;
  const number = recipient.slice(code.length);
  // Rarely there is a prefix after the code, as in +44 (0)20.
  if (planOf(largest).prefix?.test(number)) return parsePhoneNumberFromString(`+${recipient}`)?.country ?? largest;
  return countries.find((country) => planOf(country).numbers.test(number)) ?? largest;
}

/** A country's numbers after the code that it shares, and what people write before them. */
type Plan = { numbers: RegExp; prefix: RegExp | undefined };

const plans = new Map<string, Plan>();

/** Compiles the library's plan of a country once; it compiles it for each number, which took 20 µs. */
function planOf(country: string): Plan {
  const known = plans.get(country);
  if (known) return known;
  const { 2: numbers, 5: prefix, 7: prefixes, 10: beginning, 11: types } = PLANS.get(country) ?? [];
  const ofTypes = (types || []).map((type?: readonly string[]) => type?.[0]).filter(Boolean);
  const plan = {
    numbers: new RegExp(beginning ? `^(?:${beginning})` : `^(?=(?:${numbers})$)(?:${ofTypes.join("|")})$`),
    prefix: prefix || prefixes ? new RegExp(`^(?:${prefixes || prefix})`) : undefined,
  };
  plans.set(country, plan);
  return plan;
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

/** Returns a number's calling code, and its countries. No code is the beginning of another. */
function codeOf(digits: string): readonly [code: string, countries: readonly string[]] {
  for (let length = 1; length <= MAX_CODE_DIGITS; length++) {
    const code = digits.slice(0, length);
    const countries = COUNTRIES.get(code);
    if (countries) return [code, countries];
  }
  return ["", []];
}
