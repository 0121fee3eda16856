import { readPhone } from "@/lib/core/phone";

/** One row of a file of contacts; `line` is where it begins in the file, from 1. */
export type ContactRow = { line: number; phone: string; name: string | null };
export type RowFault = { line: number; reason: string };

const MAX_NAME_CHARACTERS = 200;

/**
 * Reads CSV as it arrives, piece by piece: separators `,` `;` or tab, quotes by RFC 4180, any line end, a heading or
 * none. The first column that is called like a phone is one, else the first; a column called like a name is the name.
 */
export class ContactFile {
  #cells: string[] = [];
  #cell = "";
  #isQuoted = false;
  #isAfterQuote = false;
  #line = 1;
  #beginsAt = 1;
  #separator: string | undefined;
  #columns: Columns | undefined;

  /** The rows that the piece completes. */
  read(piece: string): (ContactRow | RowFault)[] {
    const rows: (ContactRow | RowFault)[] = [];
    for (const character of piece) {
      if (character === "\n") this.#line += 1;
      if (this.#isQuoted && !(character === '"')) this.#cell += character;
      else if (character === '"') this.#quote();
      else if (character === "\n") rows.push(...this.#endRow());
      else if (this.#isSeparator(character)) this.#endCell();
      else if (character !== "\r" && character !== "\uFEFF") this.#cell += character;
      if (character !== '"') this.#isAfterQuote = false;
    }
    return rows;
  }

  /** The last row, where no line end follows it. */
  end(): (ContactRow | RowFault)[] {
    this.#isQuoted = false;
    this.#line += 1;
    return this.#cell === "" && this.#cells.length === 0 ? [] : this.#endRow();
  }

  /** A quote within quotes is written twice. */
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
    const [cells, line] = [this.#cells, this.#beginsAt];
    this.#cells = [];
    this.#beginsAt = this.#line;
    if (cells.every((cell) => cell === "")) return [];
    if (!this.#columns) {
      const heading = readHeading(cells);
      this.#columns = heading ?? { phone: 0, name: 1 };
      if (heading) return [];
    }
    return [toRow(cells, line, this.#columns)];
  }
}

type Columns = { phone: number; name: number };

const PHONE_HEADING = /phone|mobile|number|whatsapp|telefon|recipient|^to$/i;
const NAME_HEADING = /name|contact/i;

/** A row without a single digit is a heading. */
const readHeading = (cells: readonly string[]): Columns | undefined => {
  if (cells.some((cell) => /\d{5}/.test(cell))) return undefined;
  const phone = cells.findIndex((cell) => PHONE_HEADING.test(cell));
  const name = cells.findIndex((cell, at) => at !== phone && NAME_HEADING.test(cell));
  return phone < 0 && name < 0 ? undefined : { phone: Math.max(phone, 0), name };
};

const toRow = (cells: readonly string[], line: number, columns: Columns): ContactRow | RowFault => {
  // A spreadsheet's guard against formulas, which an export of ours writes, too.
  const given = (cells[columns.phone] ?? "").replace(/^'(?=[+\d])/, "");
  if (given === "") return { line, reason: "Phone is missing." };
  const reading = readPhone(given);
  if ("fault" in reading) return { line, reason: reading.fault };
  const name = cells[columns.name] ?? "";
  if (name.length > MAX_NAME_CHARACTERS)
    return { line, reason: `The name has more than ${MAX_NAME_CHARACTERS} characters.` };
  return { line, phone: reading.phone, name: name.replaceAll("\0", "") || null };
};
