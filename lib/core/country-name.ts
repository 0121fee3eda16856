const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Returns the English name of a country, such as `Brazil`; the code itself if it has none. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** Groups of countries, and what is written for none. */
const NO_COUNTRIES = ["EU", "EZ", "UN", "QO", "XA", "XB", "ZZ"];

/** The code of today of a country: `UK` is `GB`, and the former `DD` is `DE`. */
export function canonicalCountry(code: string): string | undefined {
  return /^[A-Z]{2}$/.test(code) ? new Intl.Locale(`und-${code}`).region : undefined;
}

/** The codes of all countries that have a name. */
export const ALL_COUNTRIES: ReadonlySet<string> = new Set(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
    (code) => names.of(code) !== undefined && canonicalCountry(code) === code && !NO_COUNTRIES.includes(code),
  ),
);
