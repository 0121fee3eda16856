import { memberOf } from "@/lib/auth/member";
import { apiRoute } from "@/lib/public-api/api-route";
import { usageDownload } from "@/lib/usage/usage-download";
import { readUsageFilters } from "@/lib/usage/usage-range";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const { workspaceId, workspace } = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const given = Object.fromEntries(new URL(request.url).searchParams);
    const mode = given.mode === "test" ? "test" : "live";
    return usageDownload(workspaceId, { ...readUsageFilters(given), mode, timeZone: workspace.timeZone });
  },
});
