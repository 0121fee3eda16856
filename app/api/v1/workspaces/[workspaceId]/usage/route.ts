import { memberOf } from "@/lib/auth/member";
import { usageDownload } from "@/lib/messages/usage-download";
import { readUsageFilters } from "@/lib/messages/usage-range";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const { workspaceId, workspace } = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const given = Object.fromEntries(new URL(request.url).searchParams);
    const mode = given.mode === "test" ? "test" : "live";
    return usageDownload(workspaceId, { ...readUsageFilters(given), mode, timeZone: workspace.timeZone });
  },
});
