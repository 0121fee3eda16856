import { type CountryCode, getCountryCallingCode } from "libphonenumber-js/min";
import { commonCountry } from "@/lib/core/country";
import { countryName } from "@/lib/core/country-name";
import type { CsvRow } from "@/lib/core/csv-rows";
import { has, isHeading, sampleOf, wordsOf } from "./file-columns";
import { COUNTRY, LANGUAGES } from "./file-headings";
import { CALLING_CODES, diallingCountry, isNorthAmerican, readFilePhone } from "./file-phone";

/**
 * Proposes the country of a file's national numbers: the one that a column of it names, else that of the workspace's lines
 * unless the file's other numbers or the language of its headings speak against it. Null where the owner has to choose.
 */
export function proposeCountry(rows: readonly CsvRow[], line: CountryCode | null): CountryCode | null {
  const headings = isHeading(rows, line) ? (rows[0]?.cells ?? []).map(wordsOf) : [];
  const people = sampleOf(rows.slice(headings.length > 0 ? 1 : 0));
  const place = headings.findIndex((heading) => has(heading, COUNTRY));
  const named = mostOf(people.map(({ cells }) => NAMED.get((cells[place] ?? "").toLowerCase()) ?? null));
  if (named) return named;
  const others = mostOf(people.flatMap(({ cells }) => cells.flatMap((cell) => countryIn(cell) ?? [])));
  const languages = languagesOf(headings);
  if (line && (languages.length > 0 ? isSpoken(line, languages) : !others || haveOneCode(line, others))) return line;
  return others && (languages.length > 0 ? isSpoken(others, languages) : !line) ? others : null;
}

/** By code and by English name. */
const NAMED = new Map(
  CALLING_CODES.flatMap(({ country }) =>
    [country, countryName(country)].map((name) => [name.toLowerCase(), country] as const),
  ),
);

/** The country of a number that names it by itself, or by how it is written. */
function countryIn(cell: string): CountryCode | null {
  if (isNorthAmerican(cell)) return "US";
  if (!/^\s*['"=]*(?:\+|00)\s*\d/.test(cell)) return null;
  const reading = readFilePhone(cell, { country: null, bare: null });
  return "phone" in reading ? diallingCountry(commonCountry([reading.phone])) : null;
}

/** What more than half of them are. */
function mostOf(countries: readonly (CountryCode | null)[]): CountryCode | null {
  const counts = new Map<CountryCode | null, number>();
  for (const country of countries) counts.set(country, (counts.get(country) ?? 0) + 1);
  return [...counts].find(([, count]) => count * 2 > countries.length)?.[0] ?? null;
}

const haveOneCode = (one: CountryCode, other: CountryCode) =>
  getCountryCallingCode(one) === getCountryCallingCode(other);

/** The languages that most of the headings can be in; none where they are English, which shops write everywhere. */
function languagesOf(headings: readonly string[]): string[] {
  const counts = [...LANGUAGES].map(([language, words]) => {
    const isIn = (heading: string) => (words instanceof RegExp ? words.test(heading) : has(heading, words));
    return { language, count: headings.filter(isIn).length };
  });
  const most = Math.max(...counts.map(({ count }) => count));
  return most === 0 ? [] : counts.filter(({ count }) => count === most).map(({ language }) => language);
}

/** Where more than one language is usual. */
const ALSO: Partial<Record<CountryCode, string[]>> = { BE: ["fr", "de"], CA: ["fr"], CH: ["fr", "it"], LU: ["de"] };

function isSpoken(country: CountryCode, languages: readonly string[]): boolean {
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  return [language, ...(ALSO[country] ?? [])].some((one) => languages.includes(one));
}
