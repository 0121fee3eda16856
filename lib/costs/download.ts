import type { Role } from "@/db/schema/identity";
import { type Cell, csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/principal";
import { can } from "@/lib/workspaces/roles";
import type { CostScope } from "./cost-range";
import { type CostFileRow, listCostRows } from "./queries";

/** Few enough for each statement to finish within its timeout. */
const DAYS_AT_ONCE = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns a range's counts as a CSV file, oldest first, with the key only for those who may see it. */
export function costDownload(workspaceId: WorkspaceId, scope: CostScope, role: Role): Response {
  const columns = COLUMNS.filter(([name]) => name !== "api_key" || can(role, "seeApiKeys"));
  const pages = pagesOf(workspaceId, scope, columns);
  return csvDownload(
    "costs.csv",
    columns.map(([name]) => name),
    pages,
  );
}

type Column = [name: string, cell: (row: CostFileRow) => Cell];

const COLUMNS: Column[] = [
  ["day", ({ day }) => day],
  ["category", ({ category }) => category],
  ["pricing_type", ({ type }) => type],
  ["billable", ({ billable }) => (billable ? "yes" : "no")],
  ["country", ({ country }) => country],
  ["line", ({ line }) => line],
  ["template", ({ template }) => template],
  ["api_key", ({ key }) => key],
  ["messages", ({ messages }) => messages],
  ["delivered", ({ delivered }) => delivered],
  ["price", ({ price }) => price],
  ["currency", ({ currency }) => currency],
  ["estimated_cost", ({ cost }) => cost],
];

async function* pagesOf(
  workspaceId: WorkspaceId,
  scope: CostScope,
  columns: readonly Column[],
): AsyncGenerator<Cell[][]> {
  const end = Date.parse(scope.until);
  for (let at = Date.parse(scope.from); at <= end; at += DAYS_AT_ONCE * DAY_MS) {
    const part = { ...scope, from: dayOf(at), until: dayOf(Math.min(end, at + (DAYS_AT_ONCE - 1) * DAY_MS)) };
    const rows = await listCostRows(workspaceId, part);
    yield rows.map((row) => columns.map(([, cell]) => cell(row)));
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-01-15".length);
