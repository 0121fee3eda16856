import { memberRoute } from "@/lib/auth/member-request";
import { readMode } from "@/lib/core/page-mode";
import { costBucketsOf, costScopeOf, readCostFilters } from "@/lib/costs/cost-range";
import { costDownload } from "@/lib/costs/download";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, search }) => {
  const given = Object.fromEntries(search);
  const mode = readMode(given.mode) ?? "live";
  const { timeZone } = member.workspace;
  const filters = readCostFilters(given, member.role);
  const now = new Date();
  const buckets = costBucketsOf(filters.range, now, timeZone);
  return costDownload(member.workspaceId, costScopeOf(filters, { mode, timeZone, now, buckets }), member.role);
});
