import Papa from "papaparse";

/** One row of a file; `row` is its number in a spreadsheet: empty rows count, line breaks in a cell do not. */
export type CsvRow = { row: number; cells: string[] };
export type RowFault = { row: number; reason: string };

/** What may separate cells, in the order in which they are taken where a file may be read by several. */
export const SEPARATORS = ["\t", ";", "|", ","] as const;

/**
 * Reads a CSV file as spreadsheets do: with any line ending, and with the separator that a line `sep=;` names, else one
 * that its first lines suggest. Cells are trimmed, and rows without any content are left out.
 */
export function readCsv(text: string, separator?: string): { rows: CsvRow[]; separator: string } {
  const lines = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const [line = "", named] = /^"?sep=(.)"?(?:\n|$)/i.exec(lines) ?? [];
  const content = lines.slice(line.length);
  const used = separator ?? named ?? separatorOf(content);
  const rows = split(content, used).map((cells, at) => ({ row: at + 1, cells: cells.map((cell) => cell.trim()) }));
  return { rows: rows.filter(({ cells }) => cells.some((cell) => cell !== "")), separator: used };
}

function split(text: string, delimiter: string): string[][] {
  return Papa.parse<string[]>(withLoneQuotes(text, delimiter), { delimiter, newline: "\n" }).data;
}

/** A quote that stands alone would take in the rows after it: its cell is put in quotes, and ends with its line. */
function withLoneQuotes(text: string, delimiter: string): string {
  const columns = text.split("\n", 1)[0]?.split(delimiter).length;
  let [read, from] = ["", 0];
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    if (at > 0 && text[at - 1] !== delimiter && text[at - 1] !== "\n") {
      at += 1;
      continue;
    }
    const end = endOfQuoted(text, at, delimiter);
    if (end !== undefined && !takesInRows(text, { from: at, to: end }, { delimiter, columns })) {
      at = end;
      continue;
    }
    const lone = text.slice(at, lineEnd(text, at)).split(delimiter, 1)[0] ?? "";
    read += `${text.slice(from, at)}"${lone.replace(/^"(.+)"$/, "$1").replaceAll('"', '""')}"`;
    at += lone.length;
    from = at;
  }
  return read + text.slice(from);
}

/** Where a cell in quotes ends; undefined if its closing quote is missing, or is not followed by a separator. */
function endOfQuoted(text: string, opening: number, delimiter: string): number | undefined {
  let at = text.indexOf('"', opening + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  if (at < 0) return undefined;
  do at += 1;
  while (text[at] === " ");
  return at === text.length || text[at] === delimiter || text[at] === "\n" ? at : undefined;
}

/** Whether each line that a quoted cell spans could be a row by itself, with as many cells as the first, and a number. */
function takesInRows(
  text: string,
  { from, to }: { from: number; to: number },
  { delimiter, columns }: { delimiter: string; columns: number | undefined },
): boolean {
  if (!text.slice(from, to).includes("\n")) return false;
  const lines = text.slice(text.lastIndexOf("\n", from) + 1, lineEnd(text, to)).split("\n");
  return lines.every((line) => line.split(delimiter).length === columns && /(?:\d[ ().-]*){7}/.test(line));
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

const SAMPLED_LINES = 20;

/** The separator that gives the most lines the same number of cells; of several, the one that gives the most cells. */
function separatorOf(text: string): string {
  const sample = text.split("\n", SAMPLED_LINES).join("\n");
  const found = SEPARATORS.map((separator) => {
    const counts = new Map<number, number>();
    for (const { length } of split(sample, separator)) {
      if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
    }
    const [cells, lines] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [0, 0];
    return { separator, cells, lines };
  });
  return found.toSorted((one, other) => other.lines - one.lines || other.cells - one.cells)[0]?.separator ?? ",";
}
