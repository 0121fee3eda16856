import type { Role } from "@/db/schema/identity";
import { type Cell, csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/principal";
import { can } from "@/lib/workspaces/roles";
import type { CostScope } from "./cost-range";
import { listCostRows } from "./queries";

/** Few enough for each statement to finish within its timeout. */
const DAYS_AT_ONCE = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

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
  const end = Date.parse(scope.until);
  for (let at = Date.parse(scope.from); at <= end; at += DAYS_AT_ONCE * DAY_MS) {
    const part = { ...scope, from: dayOf(at), until: dayOf(Math.min(end, at + (DAYS_AT_ONCE - 1) * DAY_MS)) };
    const rows = await listCostRows(workspaceId, part);
    yield rows.map((row) => columns.map((name) => row[name] ?? null));
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, "2026-01-15".length);
