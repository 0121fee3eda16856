import { readPhone } from "@/lib/core/phone";

/** One row of a contact file; `row` is its number in a spreadsheet: headings and empty rows count, line breaks in a cell do not. */
export type ContactRow = { row: number; phone: string; name: string | null };
export type RowFault = { row: number; reason: string };

const MAX_NAME_CHARACTERS = 200;

/**
 * Parses CSV in chunks as it arrives: separators `,` `;` or tab, RFC 4180 quotes, any line ending, with or without a
 * header. The phone is the first column whose header says so, else column 1; the name is the column called so.
 */
export class ContactFile {
  #cells: string[] = [];
  #cell = "";
  #isQuoted = false;
  #isAfterQuote = false;
  #row = 0;
  #separator: string | undefined;
  #columns: Columns | undefined;

  /** Returns the rows that the chunk completes. */
  read(piece: string): (ContactRow | RowFault)[] {
    const rows: (ContactRow | RowFault)[] = [];
    for (const character of piece) {
      if (this.#isQuoted && !(character === '"')) this.#cell += character;
      else if (character === '"') this.#quote();
      else if (character === "\n") rows.push(...this.#endRow());
      else if (this.#isSeparator(character)) this.#endCell();
      else if (character !== "\r" && character !== "\uFEFF") this.#cell += character;
      if (character !== '"') this.#isAfterQuote = false;
    }
    return rows;
  }

  /** Returns the last row if no line ending follows it. */
  end(): (ContactRow | RowFault)[] {
    this.#isQuoted = false;
    return this.#cell === "" && this.#cells.length === 0 ? [] : this.#endRow();
  }

  /** A quote inside quotes is escaped by doubling it. */
  #quote() {
    if (this.#isQuoted) {
      this.#isQuoted = false;
      this.#isAfterQuote = true;
    } else if (this.#isAfterQuote) {
      this.#cell += '"';
      this.#isQuoted = true;
      this.#isAfterQuote = false;
    } else this.#isQuoted = true;
  }

  #isSeparator(character: string): boolean {
    if (this.#separator === undefined && /[,;\t]/.test(character)) this.#separator = character;
    return character === this.#separator;
  }

  #endCell() {
    this.#cells.push(this.#cell.trim());
    this.#cell = "";
  }

  #endRow(): (ContactRow | RowFault)[] {
    this.#endCell();
    this.#row += 1;
    const cells = this.#cells;
    this.#cells = [];
    if (cells.every((cell) => cell === "")) return [];
    if (!this.#columns) {
      const heading = readHeading(cells);
      this.#columns = heading ?? { phone: 0, name: 1 };
      if (heading) return [];
    }
    return [toRow(cells, this.#row, this.#columns)];
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
  if (name.length > MAX_NAME_CHARACTERS)
    return { row, reason: `The name has more than ${MAX_NAME_CHARACTERS} characters.` };
  return { row, phone: reading.phone, name: name.replaceAll("\0", "") || null };
};
