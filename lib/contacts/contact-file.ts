import { type RowFault, readCsv } from "@/lib/core/csv-rows";
import { readPhone } from "@/lib/core/phone";
import { characterCount } from "@/lib/core/text";

export type ContactRow = { row: number; phone: string; name: string | null };

const MAX_NAME_CHARACTERS = 200;

/**
 * Reads a contact file, with or without a header. The phone is the first column whose header says so, else column 1; the
 * name is the column called so.
 */
export function readContacts(text: string): (ContactRow | RowFault)[] {
  const { rows } = readCsv(text);
  const heading = readHeading(rows[0]?.cells ?? []);
  const columns = heading ?? { phone: 0, name: 1 };
  return rows.slice(heading ? 1 : 0).map(({ row, cells }) => toRow(cells, row, columns));
}

type Columns = { phone: number; name: number };

const PHONE_HEADING = /phone|mobile|number|whatsapp|telefon|recipient|^to$/i;
const NAME_HEADING = /name|contact/i;

/** A header has a phone or name heading, and no cell with five digits in a row. */
const readHeading = (cells: readonly string[]): Columns | undefined => {
  if (cells.some((cell) => /\d{5}/.test(cell))) return undefined;
  const phone = cells.findIndex((cell) => PHONE_HEADING.test(cell));
  const name = cells.findIndex((cell, at) => at !== phone && NAME_HEADING.test(cell));
  return phone < 0 && name < 0 ? undefined : { phone: Math.max(phone, 0), name };
};

const toRow = (cells: readonly string[], row: number, columns: Columns): ContactRow | RowFault => {
  // The apostrophe against formulas, which our own exports write, too.
  const given = (cells[columns.phone] ?? "").replace(/^'(?=[+\d])/, "");
  if (given === "") return { row, reason: "Phone is missing." };
  const reading = readPhone(given);
  if ("fault" in reading) return { row, reason: reading.fault };
  const name = cells[columns.name] ?? "";
  if (characterCount(name) > MAX_NAME_CHARACTERS)
    return { row, reason: `The name has more than ${MAX_NAME_CHARACTERS} characters.` };
  return { row, phone: reading.phone, name: name.replaceAll("\0", "") || null };
};
