import { forbidden } from "@/lib/core/app-error";
import { csvDownload } from "@/lib/core/csv";
import { whoCan } from "@/lib/workspaces/roles";
import type { CostPeriod } from "./cost-range";
import { writeAmount } from "./money";
import { COST_TABLES, type CostReport, type CostTableName } from "./report-queries";

export type CostFile = {
  by: CostTableName;
  /** As spreadsheets of most of Europe and South America save it: semicolons, decimal commas and a mark of its encoding. */
  hasComma: boolean;
};

/** Reads which table is asked for from a URL's query. */
export function readCostFile({ by, decimal }: Record<string, string>): CostFile {
  return { by: COST_TABLES.find((name) => name === by) ?? "country", hasComma: decimal === "comma" };
}

/**
 * Returns a table of the costs page as a CSV file: the same lines and columns, its sum included. Throws FORBIDDEN for the table
 * of keys if the report is for a member who may not see them.
 */
export function costDownload(
  report: CostReport,
  { by, hasComma }: CostFile,
  { first, last }: Pick<CostPeriod, "first" | "last">,
): Response {
  const table = report.tables[by];
  if (!table) throw forbidden(whoCan("seeApiKeys"));
  const { lines, currencies, decimals } = table;
  const heading = [by, ...currencies, "billable", "without_price", "free", "not_delivered", "messages"];
  const amount = (text: string, currency: string) => {
    const written = writeAmount(text, decimals[currency]);
    return hasComma ? written.replace(".", ",") : written;
  };
  const rows = lines.map((line) => [
    report.nameOf(by, line),
    ...currencies.map((name) => (line.amounts[name] === undefined ? null : amount(line.amounts[name], name))),
    line.billable,
    line.unpriced,
    line.free,
    line.undelivered,
    line.messages,
  ]);
  const name = `costs-${first}-${last}-by-${by}${hasComma ? "-decimal-comma" : ""}.csv`;
  return csvDownload(name, heading, [rows], hasComma ? SPREADSHEET : undefined);
}

const SPREADSHEET = { start: "\uFEFF", separator: ";" };
