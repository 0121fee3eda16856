import type { Role } from "@/db/schema/identity";
import { type Cell, csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/principal";
import { can } from "@/lib/workspaces/roles";
import type { CostScope } from "./cost-range";
import { listCostRows } from "./queries";

/** Few enough for each statement to finish within its timeout. */
const DAYS_AT_ONCE = 7;

/** Returns a range's counts as a CSV file, oldest first, with the key only for those who may see it. */
export function costDownload(workspaceId: WorkspaceId, scope: CostScope, role: Role): Response {
  const columns = COLUMNS.filter((name) => name !== "api_key" || can(role, "seeApiKeys"));
  return csvDownload("costs.csv", columns, pagesOf(workspaceId, scope, columns));
}

const COLUMNS = [
  "day",
  "category",
  "pricing_type",
  "billable",
  "country",
  "line",
  "template",
  "api_key",
  "messages",
  "delivered",
  "price",
  "currency",
  "estimated_cost",
];

async function* pagesOf(
  workspaceId: WorkspaceId,
  scope: CostScope,
  columns: readonly string[],
): AsyncGenerator<Cell[][]> {
  for (let at = 0; at < scope.days.length; at += DAYS_AT_ONCE) {
    const part = { ...scope, days: scope.days.slice(at, at + DAYS_AT_ONCE) };
    const rows = await listCostRows(workspaceId, part);
    yield rows.map((row) => columns.map((name) => row[name] ?? null));
  }
}
