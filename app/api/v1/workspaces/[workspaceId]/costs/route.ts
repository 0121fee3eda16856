import { memberOf } from "@/lib/auth/member";
import { costBucketsOf, costScopeOf, readCostFilters } from "@/lib/costs/cost-range";
import { costDownload } from "@/lib/costs/download";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const member = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const given = Object.fromEntries(new URL(request.url).searchParams);
    const mode = given.mode === "test" ? ("test" as const) : ("live" as const);
    const { timeZone } = member.workspace;
    const filters = readCostFilters(given);
    const buckets = costBucketsOf(filters.range, new Date(), timeZone);
    return costDownload(member.workspaceId, costScopeOf(filters, { mode, timeZone, buckets }), member.role);
  },
});
