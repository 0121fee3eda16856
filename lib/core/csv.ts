/** A value of a table cell; null is an empty cell. */
export type Cell = string | number | Date | null;

/** Writes one RFC 4180 line. Text that a spreadsheet would read as a formula is prefixed with an apostrophe. */
export function csvLine(cells: readonly Cell[], separator = ","): string {
  return `${cells.map(csvCell).join(separator)}\r\n`;
}

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === "number") return String(cell);
  const safe = startsFormula(cell) ? `'${cell}` : cell;
  // Some locales treat semicolons and tabs as separators, so they are quoted, too.
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Whether a spreadsheet may read a text as a formula: it skips leading blanks and accepts full-width signs. */
function startsFormula(text: string): boolean {
  const first = /^[\s\p{C}]*(.)/su.exec(text)?.[1] ?? "";
  return /^[\t\r\n]/.test(text) || "=+-@".includes(first.normalize("NFKC") || " ");
}

type Page = readonly (readonly Cell[])[];

type CsvForm = {
  /** Before the heading. */
  start?: string;
  separator?: string;
};

/**
 * A download that is written while it is read, one page of `rows` at a time, so that its length needs no memory. After each
 * page it pauses for as long as the page took, so it uses at most half of its database connection and of this process.
 */
export function csvDownload(
  fileName: string,
  heading: readonly string[],
  rows: AsyncIterable<Page> | Iterable<Page>,
  { start = "", separator }: CsvForm = {},
): Response {
  const pages = eachOf(rows);
  const encoder = new TextEncoder();
  let restMs = 0;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(start + csvLine(heading, separator))),
    pull: async (controller) => {
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      const beganAtMs = performance.now();
      const { done, value } = await pages.next();
      if (done) return controller.close();
      const bytes = encoder.encode(value.map((cells) => csvLine(cells, separator)).join(""));
      restMs = performance.now() - beganAtMs;
      controller.enqueue(bytes);
    },
    cancel: async () => {
      await pages.return();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${fileName}"`,
    },
  });
}

async function* eachOf(rows: AsyncIterable<Page> | Iterable<Page>): AsyncGenerator<Page, void> {
  yield* rows;
}
