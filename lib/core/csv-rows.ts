/** One row of a file; `row` is its number in a spreadsheet: empty rows count, line breaks in a cell do not. */
export type CsvRow = { row: number; cells: string[] };
export type RowFault = { row: number; reason: string };

/**
 * Parses CSV in chunks as it arrives: separators `,` `;` or tab, RFC 4180 quotes, any line ending. Cells are trimmed, and
 * rows without any content are left out.
 */
export class CsvRows {
  #cells: string[] = [];
  #cell = "";
  #isQuoted = false;
  #isAfterQuote = false;
  #row = 0;
  #before = "";
  #separator: string | undefined;

  /** Returns the rows that the chunk completes. */
  read(piece: string): CsvRow[] {
    const rows: CsvRow[] = [];
    for (const character of piece) {
      if (this.#isQuoted && !(character === '"')) this.#cell += character;
      else if (character === '"') this.#quote();
      else if (character === "\r" || (character === "\n" && this.#before !== "\r")) rows.push(...this.#endRow());
      else if (this.#isSeparator(character)) this.#endCell();
      else if (character !== "\n" && character !== "\uFEFF") this.#cell += character;
      if (character !== '"') this.#isAfterQuote = false;
      this.#before = character;
    }
    return rows;
  }

  /** Returns the last row if no line ending follows it. A quote that is still open may have taken in further rows. */
  end(): (CsvRow | RowFault)[] {
    if (this.#isQuoted) return [{ row: this.#row + 1, reason: "A quote opens here and is never closed." }];
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

  #endRow(): CsvRow[] {
    this.#endCell();
    this.#row += 1;
    const cells = this.#cells;
    this.#cells = [];
    return cells.every((cell) => cell === "") ? [] : [{ row: this.#row, cells }];
  }
}
