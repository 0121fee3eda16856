import { type CountryCode, getCountryCallingCode } from "libphonenumber-js/min";
import { commonCountry, countryOfCode } from "@/lib/core/country";
import { canonicalCountry } from "@/lib/core/country-name";
import type { CsvRow } from "@/lib/core/csv-rows";
import { fold } from "@/lib/core/fold";
import { has, isHeading, listColumns, sampleOf, wordsOf } from "./file-columns";
import { COUNTRY, LANGUAGES, OTHER_PERSON } from "./file-headings";
import { CALLING_CODES, diallingCountry, isNorthAmerican, type RowCountry, readFilePhone } from "./file-phone";

/**
 * Proposes the country of a file's national numbers: the one that a column of it names, else that of the workspace's lines
 * unless the file's other numbers or the language of its headings speak against it; else the one that few rows name, if it is
 * the first of that language, and no exception. Null where the owner has to choose.
 */
export function proposeCountry(rows: readonly CsvRow[], line: CountryCode | null): CountryCode | null {
  const hasHeading = isHeading(rows, line);
  const headings = hasHeading ? (rows[0]?.cells ?? []).map(wordsOf) : [];
  const people = sampleOf(rows.slice(hasHeading ? 1 : 0));
  const places = countryColumns(rows, hasHeading);
  const countries = people.map(({ cells }) => rowCountry(cells, places));
  const named = mostOf(countries.map((one) => one?.country ?? null));
  if (named) return named;
  const others = mostOf(people.flatMap(({ cells }) => cells.flatMap((cell) => countryIn(cell) ?? [])));
  const languages = languagesOf(headings);
  if (line && (languages.length > 0 ? isSpoken(line, languages) : !others || haveOneCode(line, others))) return line;
  if (others && (languages.length > 0 ? isSpoken(others, languages) : !line)) return others;
  const rare = mostOf(countries.flatMap((one) => (one ? [one.country] : [])));
  const isFirst = (language: string) => new Intl.Locale(language).maximize().region === rare;
  return rare && languages.some(isFirst) ? rare : null;
}

/**
 * The columns that name the country of their row's person, by index. Without headings they are those of names of countries:
 * codes may be those of states or languages.
 */
export function countryColumns(rows: readonly CsvRow[], hasHeading: boolean): number[] {
  const headings = hasHeading ? (rows[0]?.cells ?? []).map(wordsOf) : [];
  const named = headings.flatMap((heading, at) => (has(heading, COUNTRY) && !has(heading, OTHER_PERSON) ? [at] : []));
  if (hasHeading) return named;
  return listColumns(rows, false).flatMap(({ index }) => {
    const filled = sampleOf(rows).flatMap(({ cells }) => cells[index] || []);
    const countries = filled.filter((cell) => /^\P{N}{4,}$/u.test(cell) && readCountry(cell) !== null);
    return countries.length * 2 > filled.length ? [index] : [];
  });
}

/** The country that a row names; undefined if it names none. Its `country` is null if that cannot be read, or is two. */
export function rowCountry(cells: readonly string[], columns: readonly number[]): RowCountry | undefined {
  const said = columns.map((index) => (cells[index] ?? "").trim()).filter((cell) => !IS_NOTHING.test(cell));
  if (said.length === 0) return undefined;
  const [country = null, ...others] = new Set(said.map(readCountry));
  return { country: others.length > 0 ? null : country, said: said.join(", ") };
}

/** Also the apostrophe that spreadsheets keep text with. */
const IS_NOTHING = /^(?:[^\p{L}\p{N}]*|n\/a|none|null|unknown)$/iu;

/** Reads a country by its code, its calling code or its name in a language of headings: `CH`, `+41`, `Suisse`, `Suisse (+41)`. */
function readCountry(cell: string): CountryCode | null {
  const [digits = "", other] = cell.match(/\d+/g) ?? [];
  const name = fold(cell.replace(/\d+/g, "").replace(/[^\p{L}\p{M}]+/gu, " "));
  const ofCode = diallingCountry(countryOfCode(digits.replace(/^00/, "")));
  if (other !== undefined || (digits !== "" && ofCode === null)) return null;
  if (name === "") return ofCode;
  const named = diallingCountry(canonicalCountry(name.toUpperCase())) ?? countriesByName().get(name) ?? null;
  return named && (ofCode === null || haveOneCode(named, ofCode)) ? named : null;
}

/** What people write besides the names in Unicode's tables. */
const ALSO_NAMED: Record<string, CountryCode> = {
  usa: "US",
  "u s a": "US",
  "united states of america": "US",
  "great britain": "GB",
  "u k": "GB",
  england: "GB",
  scotland: "GB",
  wales: "GB",
  "northern ireland": "GB",
  uae: "AE",
  turkey: "TR",
  holland: "NL",
  "czech republic": "CZ",
  "ivory coast": "CI",
  "russian federation": "RU",
  "viet nam": "VN",
};

let byName: ReadonlyMap<string, CountryCode> | undefined;

/** Made with the first name: it takes a quarter of a second. What names two countries, as Kongo does, is left out. */
function countriesByName(): ReadonlyMap<string, CountryCode> {
  if (byName) return byName;
  const named = new Map(Object.entries(ALSO_NAMED));
  const twice = new Set<string>();
  for (const language of ["en", ...LANGUAGES.keys()]) {
    for (const style of language === "en" ? (["long", "short"] as const) : (["long"] as const)) {
      const names = new Intl.DisplayNames(language, { type: "region", style, fallback: "none" });
      for (const { country } of CALLING_CODES) {
        const name = fold((names.of(country) ?? "").replace(/[^\p{L}\p{M}]+/gu, " "));
        if ((named.get(name) ?? country) !== country) twice.add(name);
        named.set(name, country);
      }
    }
  }
  for (const name of twice) named.delete(name);
  byName = named;
  return named;
}

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
