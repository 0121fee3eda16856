/** A value of a table cell; null is an empty cell. */
export type Cell = string | number | Date | null;

/** One line by RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

const csvCell = (cell: Cell): string => {
  if (cell === null) return "";
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === "number") return String(cell);
  const safe = startsFormula(cell) ? `'${cell}` : cell;
  // Some locales read semicolons and tabs as separators: unquoted, what follows one would be a cell of its own.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Whether a spreadsheet may take a text for a formula: they skip blanks in front, and read full-width signs as plain ones. */
const startsFormula = (text: string): boolean => {
  const first = /^[\s\p{C}]*(.)/su.exec(text)?.[1] ?? "";
  return /^[\t\r\n]/.test(text) || "=+-@".includes(first.normalize("NFKC") || " ");
};

/** A download that is written while it is read, one page of `rows` at a time, so that its length needs no memory. */
export function csvDownload(
  fileName: string,
  heading: readonly string[],
  rows: AsyncIterable<readonly (readonly Cell[])[]>,
): Response {
  const pages = rows[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(csvLine(heading))),
    pull: async (controller) => {
      const { done, value } = await pages.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(value.map(csvLine).join("")));
    },
    cancel: async () => {
      await pages.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
    },
  });
}
