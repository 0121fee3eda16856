import { ALL_COUNTRIES, canonicalCountry, countryName } from "@/lib/core/country-name";

/** Prices for countries without one of their own. */
export const ELSEWHERE = "*";

/** A row's countries; a region gives way to a row of one of them. */
export type Market = { countries: readonly string[]; isRegional: boolean };

/** Reads a country's code or English name, or a region of WhatsApp's rate cards; undefined for anything else. */
export function readMarket(given: string): Market | undefined {
  const name = plain(given);
  if (OTHERS.includes(name)) return { countries: [ELSEWHERE], isRegional: false };
  const region = REGIONS.find((one) => plain(one.name) === name);
  if (region) return { countries: region.countries, isRegional: true };
  const code = CODES.get(name) ?? canonicalCountry(name.toUpperCase());
  return code && ALL_COUNTRIES.has(code) ? { countries: [code], isRegional: false } : undefined;
}

/** Returns the name of a price's market: its region's, or its country's. */
export function marketName({ country, isRegional }: { country: string; isRegional: boolean }): string {
  const region = isRegional ? REGIONS.find(({ countries }) => countries.includes(country)) : undefined;
  return region?.name ?? (country === ELSEWHERE ? "All other countries" : countryName(country));
}

/** In lower case, without accents, and with one spelling of what is written in several. */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", " and ")
    .replace(/['’.]/g, "")
    .replace(/[\s_-]+/g, " ")
    .trim();

const OTHERS = ["*", "other", "others", "all other countries", "rest of world"];

/** WhatsApp's regions, from its price list of September 2026; it moves countries out of them by the quarter. */
const REGIONS = Object.entries({
  "North America": "CA US",
  "Rest of Africa":
    "DZ AO BJ BW BF BI CM TD CG ER ET GA GM GH GW CI KE LS LR LY MG MW ML MR MA MZ NA NE RW SN SL SO SS SD SZ TZ TG TN UG ZM ZW",
  "Rest of Asia Pacific": "AF AU BD KH CN JP LA MN NP NZ PG PH LK TW TJ TH TM UZ VN",
  "Rest of Central and Eastern Europe": "AL AM AZ BY BG HR CZ GE GR LV LT MD MK RS SK SI UA",
  "Rest of Western Europe": "AT BE DK FI IE NO PT SE CH",
  "Rest of Latin America": "BO CR DO EC SV GT HT HN JM NI PA PY PR UY VE",
  "Rest of Middle East": "BH IQ JO KW LB OM YE",
}).map(([name, countries]) => ({ name, countries: countries.split(" ") }));

/** English names, and those that WhatsApp's list writes otherwise. */
const CODES = new Map([
  ...[...ALL_COUNTRIES].map((code): [string, string] => [plain(countryName(code)), code]),
  ["czech republic", "CZ"],
  ["hong kong", "HK"],
  ["ivory coast", "CI"],
  ["republic of the congo (brazzaville)", "CG"],
  ["swaziland", "SZ"],
  ["turkey", "TR"],
]);
