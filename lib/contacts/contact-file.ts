import { type RowFault, readCsv } from "@/lib/core/csv-rows";
import { characterCount, decodeText, quote } from "@/lib/core/text";
import { type Encoding, encodingOf, isUnreadable, MAX_FILE_BYTES, refusalOf } from "@/lib/core/text-file";
import {
  type Column,
  type Columns,
  companyColumn,
  hasDigit,
  listColumns,
  proposeBare,
  proposeColumns,
} from "./file-columns";
import { consentColumns, refusedIn } from "./file-consent";
import { countryColumns, proposeCountry, rowCountry } from "./file-country";
import { type BareSample, type Dialling, readFilePhone } from "./file-phone";

/**
 * A row to import. `given` is the cell of the phone where that is not what it says, and `from` the index of its column where
 * that is not the phone's, so that people can check it; `sameAs` the row before that has the number, too; `notes` what of the row is
 * not imported, and `isRefused` if that is that its person does not accept marketing.
 */
export type ContactRow = {
  row: number;
  phone: string;
  name: string | null;
  given: string | null;
  from: number | null;
  sameAs: number | null;
  notes: string[];
  isRefused: boolean;
};

/** A row that is not imported: why, and whose it is. */
export type LeftOutRow = RowFault & { name: string | null; given: string };

const MAX_NAME_CHARACTERS = 200;

/** How a file is read; a choice that is absent is proposed from the file. */
export type Choices = Partial<
  Columns & Omit<Dialling, "isProposed" | "said"> & { encoding: Encoding; separator: string; leavesOutRefused: boolean }
>;

/**
 * A file as it is read: how, and each of its rows but the headings. `columns` are those that may be chosen, `countries` the
 * indexes of those by which a row's own country goes before that of the file, `sample` a number without a plus that may be two,
 * `refused` how many rows do not accept marketing in a column, by its index.
 */
export type ContactFile = Required<Choices> & {
  columns: Column[];
  countries: number[];
  rows: (ContactRow | LeftOutRow)[];
  sample: BareSample | null;
  refused: Map<number, number>;
};

/**
 * Reads a file of contacts, or says why it cannot be read. `line` is the country of the workspace's lines. The same choices
 * give the same rows.
 */
export function readContactFile(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { line = null, ...choices }: Choices & { line?: Dialling["country"] },
): ContactFile | { refusal: string } {
  const refusal = refusalOf(name, bytes);
  if (refusal) return { refusal };
  if (bytes.length > MAX_FILE_BYTES)
    return { refusal: "The file has more than 20 MB. Split it, and import each part." };
  const encoding = choices.encoding ?? encodingOf(bytes);
  const { rows, separator } = readCsv(decodeText(bytes, encoding), choices.separator);
  const country = choices.country === undefined ? proposeCountry(rows, line) : choices.country;
  const proposed = proposeColumns(rows, country);
  const hasHeading = choices.hasHeading ?? proposed.hasHeading;
  const places = countryColumns(rows, hasHeading);
  const columns = {
    hasHeading,
    phone: choices.phone ?? proposed.phone,
    otherPhones: choices.otherPhones ?? (choices.phone === undefined ? proposed.otherPhones : []),
    names: choices.names ?? proposed.names.filter((index) => !places.includes(index)),
  };
  const countries = places.filter((index) => index !== columns.phone && !columns.otherPhones.includes(index));
  const countryOf = (cells: readonly string[]) => rowCountry(cells, countries) ?? { country };
  const numbers = proposeBare(rows, columns, (cells) => countryOf(cells).country);
  const bare = choices.bare === undefined ? numbers.bare : choices.bare;
  const people = rows.slice(columns.hasHeading ? 1 : 0);
  const headings = columns.hasHeading ? (rows[0]?.cells ?? []) : [];
  // Who chooses no column of names wants none.
  const company = columns.names.length > 0 ? companyColumn(headings) : -1;
  const consents = consentColumns(headings).filter((index) => ![columns.phone, ...columns.names].includes(index));
  const refused = new Map(consents.map((index) => [index, 0]));
  const leavesOutRefused = choices.leavesOutRefused ?? false;
  const first = new Map<string, number>();
  return {
    ...columns,
    encoding,
    separator,
    country,
    bare,
    columns: listColumns(rows, columns.hasHeading),
    countries,
    sample: numbers.sample,
    refused,
    leavesOutRefused,
    rows: people.map((line) => {
      const { row, cells } = line;
      const isProposed = choices.bare === undefined;
      const contact = toContact(row, cells, { ...columns, company }, { ...countryOf(cells), bare, isProposed });
      const no = refusedIn(line, consents, headings);
      for (const index of no) refused.set(index, (refused.get(index) ?? 0) + 1);
      if ("reason" in contact) return contact;
      const refusals = no.map((index) => `Does not accept marketing in ${quote(headings[index] ?? "")}.`);
      if (refusals.length > 0 && leavesOutRefused)
        return { row, name: contact.name, given: contact.given ?? `+${contact.phone}`, reason: refusals.join(" ") };
      const sameAs = first.get(contact.phone) ?? null;
      if (sameAs === null) first.set(contact.phone, row);
      return { ...contact, sameAs, notes: [...contact.notes, ...refusals], isRefused: refusals.length > 0 };
    }),
  };
}

function toContact(
  row: number,
  cells: readonly string[],
  columns: Columns & { company: number },
  dialling: Dialling,
): Omit<ContactRow, "sameAs" | "isRefused"> | LeftOutRow {
  const place = [columns.phone, ...columns.otherPhones].find((index) => hasDigit(cells[index] ?? "")) ?? columns.phone;
  const cell = cells[place] ?? "";
  const reading = readFilePhone(cell, dialling);
  const parts = columns.names.flatMap((index) => nameIn(cells[index] ?? "") || []);
  const name = parts.join(" ") || nameIn(cells[columns.company] ?? "") || null;
  if ("fault" in reading) return { row, name, given: cell, reason: reading.fault };
  const fault = name === null ? undefined : nameFault(name);
  if (fault) return { row, name, given: cell, reason: fault };
  const { phone, isGuessed, hasMore } = reading;
  const notes = hasMore ? ["Another number in its cell is left out."] : [];
  return { row, phone, name, given: isGuessed ? cell : null, from: place === columns.phone ? null : place, notes };
}

/** Without the apostrophe against formulas, which our own exports write, too. */
const nameIn = (cell: string): string => cell.replace(/^'(?=\s*[=+\-@＝＋－＠﹢﹣﹦﹫])/u, "").trim();

/** Says why a name of a file is not stored. */
export function nameFault(name: string): string | undefined {
  if (isUnreadable(name))
    return "The name has characters that cannot be read. Choose another encoding, or fix the file.";
  if (characterCount(name) > MAX_NAME_CHARACTERS) return `The name has more than ${MAX_NAME_CHARACTERS} characters.`;
  return undefined;
}
