import { type CsvRow, CsvRows, type RowFault } from "@/lib/core/csv-rows";
import { readPhone } from "@/lib/core/phone";
import { characterCount } from "@/lib/core/text";

export type ContactRow = { row: number; phone: string; name: string | null };

const MAX_NAME_CHARACTERS = 200;

/**
 * Parses a contact file in chunks as it arrives, with or without a header. The phone is the first column whose header
 * says so, else column 1; the name is the column called so.
 */
export class ContactFile {
  #rows = new CsvRows();
  #columns: Columns | undefined;

  /** Returns the rows that the chunk completes. */
  read(piece: string): (ContactRow | RowFault)[] {
    return this.#rows.read(piece).flatMap((row) => this.#toRow(row));
  }

  /** Returns the last row if no line ending follows it. */
  end(): (ContactRow | RowFault)[] {
    return this.#rows.end().flatMap((row) => ("reason" in row ? [row] : this.#toRow(row)));
  }

  #toRow({ row, cells }: CsvRow): (ContactRow | RowFault)[] {
    if (!this.#columns) {
      const heading = readHeading(cells);
      this.#columns = heading ?? { phone: 0, name: 1 };
      if (heading) return [];
    }
    return [toRow(cells, row, this.#columns)];
  }
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
