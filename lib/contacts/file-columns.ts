import type { CsvRow } from "@/lib/core/csv-rows";
import {
  DESCRIPTION,
  FIRST_NAME,
  FIRST_OR_WHOLE_NAME,
  LAST_NAME,
  LAST_OR_WHOLE_NAME,
  MOBILE,
  NAME,
  NO_NAME,
  NUMBER,
  OTHER_NUMBER,
  OTHER_PERSON,
  OWN_NAME,
  OWN_PHONE,
  PHONE,
  WHOLE_NAME,
  wordsIn,
} from "./file-headings";
import { bareOf, canBeCalled, type Dialling, readFilePhone } from "./file-phone";

/**
 * Which columns of a file hold the phone and the parts of the name, by index; `hasHeading` if its first row names them.
 * Where the phone's is empty, the first of `otherPhones` that is not counts.
 */
export type Columns = { hasHeading: boolean; phone: number; otherPhones: number[]; names: number[] };

/** A column for people to choose: its heading, or its letter in a spreadsheet, and its first values. */
export type Column = { index: number; heading: string; samples: string[] };

const SAMPLED_ROWS = 500;
const SAMPLES = 3;
const MAX_OTHER_PHONES = 3;

export function listColumns(rows: readonly CsvRow[], hasHeading: boolean): Column[] {
  const people = hasHeading ? rows.slice(1) : rows;
  const width = rows.slice(0, SAMPLED_ROWS).reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: width }, (_, index) => ({
    index,
    heading: (hasHeading && rows[0]?.cells[index]) || `Column ${letterOf(index)}`,
    samples: people
      .slice(0, SAMPLED_ROWS)
      .flatMap(({ cells }) => cells[index] || [])
      .slice(0, SAMPLES),
  }));
}

const LETTERS = 26;

const letterOf = (index: number): string =>
  (index >= LETTERS ? letterOf(Math.floor(index / LETTERS) - 1) : "") + String.fromCharCode(65 + (index % LETTERS));

/**
 * Proposes columns: the phone is the one with the most numbers that can be called, by a heading for them if several. One that
 * is called a mobile number goes before one that is called a phone, which counts where that is empty. Of phones a heading that
 * may be another person's comes last, also after an empty column.
 */
export function proposeColumns(rows: readonly CsvRow[], country: Dialling["country"]): Columns {
  const hasHeading = isHeading(rows, country);
  const headings = hasHeading ? (rows[0]?.cells ?? []).map(wordsOf) : [];
  const people = sampleOf(rows.slice(hasHeading ? 1 : 0));
  const columns = listColumns(rows, hasHeading).map(({ index }) => ({
    index,
    heading: headings[index] ?? "",
    cells: people.flatMap(({ cells }) => cells[index] || []),
  }));
  const [phone, ...others] = columns
    .map(({ index, heading, cells }) => {
      const called = cells.filter((cell) => isCalled(cell, country)).length;
      // Without any number the heading alone tells.
      const weight = weightOf(heading);
      const isPhone = called * 2 >= cells.filter(hasDigit).length && weight >= OWN_WEIGHT;
      return { index, score: (called + 0.5) * weight, rank: !isPhone ? 0 : called > 0 ? weight : EMPTY };
    })
    .toSorted((one, other) => other.rank - one.rank || other.score - one.score);
  return {
    hasHeading,
    phone: phone?.index ?? 0,
    otherPhones: others
      .filter(({ rank }) => rank > EMPTY)
      .slice(0, MAX_OTHER_PHONES)
      .map(({ index }) => index),
    names: namesOf(columns.filter(({ index }) => index !== phone?.index)),
  };
}

/** What has none, such as "none", is no number. */
export function hasDigit(cell: string): boolean {
  return /\p{Nd}/u.test(cell);
}

/** Proposes how the numbers of the columns are meant that have no plus. */
export function proposeBare(
  rows: readonly CsvRow[],
  { hasHeading, phone, otherPhones }: Columns,
  countryOf: (cells: readonly string[]) => Dialling["country"],
) {
  const people = rows.slice(hasHeading ? 1 : 0, SAMPLED_ROWS);
  return bareOf(
    people.flatMap(({ cells }) => {
      const country = countryOf(cells);
      return [phone, ...otherPhones].map((index) => ({ cell: cells[index] ?? "", country }));
    }),
  );
}

/** Rows from all of the file: its first ones may lack what later ones have. */
export function sampleOf(rows: readonly CsvRow[]): CsvRow[] {
  const step = Math.ceil(rows.length / SAMPLED_ROWS);
  return rows.filter((_, at) => at % step === 0);
}

function isCalled(cell: string, country: Dialling["country"]): boolean {
  // Cheap, for files of a hundred columns.
  if (!/(?:\p{Nd}[\s().\-/]*){7}/u.test(cell)) return false;
  // A national number, which the owner chooses the country of, or that of its row.
  if (!country && /^\(?0\d/.test(cell)) return true;
  const reading = readFilePhone(cell, { country, bare: "international" });
  return "phone" in reading && canBeCalled(reading.phone);
}

/** A first row without a long number, which names a column or stands above the first number. */
export function isHeading([first, ...others]: readonly CsvRow[], country: Dialling["country"]): boolean {
  if (!first || first.cells.some((cell) => /(?:\p{Nd}[\s().\-/]*){5}/u.test(cell))) return false;
  const isNamed = first.cells.map(wordsOf).some((heading) => isPhone(heading) || partOf(heading) !== undefined);
  return isNamed || others.slice(0, SAMPLED_ROWS).some(({ cells }) => cells.some((cell) => isCalled(cell, country)));
}

/** Lower case, with one space between words. */
export function wordsOf(heading: string): string {
  return (
    heading
      .normalize("NFKC")
      .toLowerCase()
      // What JavaScript makes of a Turkish capital: İsim.
      .replace(/i\u0307/g, "i")
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
      // How a number is written, which names no column of countries.
      .replace(/ (?:with|incl|including) country code\b/, "")
      .trim()
  );
}

/** Whether a heading has one of the words as a whole: "Hotel" is no "tel". */
export function has(heading: string, words: readonly string[]): boolean {
  return words.some((word) => ` ${heading} `.includes(` ${word} `));
}

/** Numbers that can be called weigh more below such headings; those of customers, orders and places hardly count. */
function weightOf(heading: string): number {
  if (has(heading, DESCRIPTION)) return 0.001;
  if (has(heading, OTHER_PERSON)) return 0.5;
  if (isCalledPhone(heading) && !isOwn(heading, OWN_PHONE)) return OWN_WEIGHT - 0.5;
  if (has(heading, MOBILE)) return 3;
  // Of a shop's phones that which is called nothing else is the customer's, before that of an address.
  if (has(heading, PHONE)) return PHONE.includes(heading) ? OWN_WEIGHT + 0.5 : OWN_WEIGHT;
  if (has(heading, OTHER_NUMBER)) return 0.001;
  return has(heading, NUMBER) ? 1.5 : 1;
}

/** The weight of a heading that names a phone of the row's person, and the rank of one without any number. */
const OWN_WEIGHT = 2;
const EMPTY = 1;

/** Whether all of its words are known: "Husband mobile" and "Husband name" are another person's. */
const isOwn = (heading: string, words: ReadonlySet<string>): boolean =>
  heading.split(" ").every((word) => words.has(word) || /^\p{N}+$/u.test(word));

const isCalledPhone = (heading: string): boolean => has(heading, MOBILE) || has(heading, PHONE);

const isPhone = (heading: string): boolean => isCalledPhone(heading) || has(heading, NUMBER);

type Part = "whole" | "first" | "last" | "either";

/** Which part of a person's name a heading stands for; "Nombre" is the first name only beside "Apellidos". */
function partOf(heading: string): Part | undefined {
  if (has(heading, NO_NAME) || has(heading, OTHER_PERSON)) return undefined;
  if (has(heading, WHOLE_NAME)) return "whole";
  if (has(heading, FIRST_NAME)) return "first";
  if (has(heading, LAST_NAME)) return "last";
  if (has(heading, NAME)) return "whole";
  return has(heading, FIRST_OR_WHOLE_NAME) || has(heading, LAST_OR_WHOLE_NAME) ? "either" : undefined;
}

type Filled = { index: number; heading: string; cells: string[] };

/** The columns of the name: the whole one if enough of it is filled, else first and last. */
function namesOf(columns: readonly Filled[]): number[] {
  const filled = columns.filter(({ cells }) => !cells.length || cells.some((cell) => /[^\d\s+().#-]/.test(cell)));
  const fullest = (part: Part) =>
    filled
      .filter(({ heading }) => partOf(heading) === part)
      .toSorted(
        (one, other) =>
          Number(isOwn(other.heading, OWN_NAME)) - Number(isOwn(one.heading, OWN_NAME)) ||
          other.cells.length - one.cells.length,
      )[0];
  const [whole, first, last, either] = [fullest("whole"), fullest("first"), fullest("last"), fullest("either")];
  const isLast = either !== undefined && has(either.heading, LAST_OR_WHOLE_NAME);
  const pair = [first ?? (isLast ? undefined : either), last ?? (isLast ? either : undefined)].flatMap(
    (one) => one ?? [],
  );
  const most = Math.max(0, ...pair.map(({ cells }) => cells.length));
  if (whole && whole.cells.length >= most) return [whole.index];
  if (pair.length > 0) return pair.map(({ index }) => index);
  const isNamed = columns.some(({ heading }) => heading !== "");
  const spoken = filled.find(({ cells }) => cells.filter(isSpoken).length * 2 > cells.length);
  return spoken && !isNamed ? [spoken.index] : [];
}

/** Headings of firms, which a row without a person is of. */
const COMPANY = wordsIn(
  `company, company name, organization, organization name, organisation, empresa, perusahaan, الشركة, firma, unternehmen|
   société, entreprise, azienda, şirket, компания, bedrijf, 会社, 会社名, कंपनी, کمپنی`,
);

/** The column of firms, by index; -1 without one. */
export function companyColumn(headings: readonly string[]): number {
  return headings.map(wordsOf).findIndex((heading) => COMPANY.includes(heading));
}

const isSpoken = (cell: string): boolean => /\p{L}/u.test(cell) && !/[@\d]/.test(cell);
