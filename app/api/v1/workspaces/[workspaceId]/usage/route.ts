import { memberOf } from "@/lib/auth/member";
import { usageDownload } from "@/lib/messages/downloads";
import { readUsageFilters } from "@/lib/messages/usage-range";
import { apiRoute } from "@/lib/public-api/api-route";
import { listReader } from "@/lib/workspaces/read-lists";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const member = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const given = Object.fromEntries(new URL(request.url).searchParams);
    const mode = given.mode === "test" ? ("test" as const) : ("live" as const);
    const scope = { ...readUsageFilters(given), mode, timeZone: member.workspace.timeZone };
    return listReader(member).read(() => usageDownload(member.workspaceId, scope));
  },
});
