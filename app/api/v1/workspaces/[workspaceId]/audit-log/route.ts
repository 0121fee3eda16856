import { memberOf } from "@/lib/auth/member";
import { apiRoute } from "@/lib/public-api/api-route";
import { auditDownload } from "@/lib/workspaces/audit-download";
import { readAuditFilters } from "@/lib/workspaces/audit-filters";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const cookie = request.headers.get("cookie");
    const { workspaceId, workspace } = await memberOf(cookie, params.workspaceId ?? "", "seeAuditLog");
    const filters = readAuditFilters(Object.fromEntries(new URL(request.url).searchParams));
    return auditDownload(workspaceId, { filters, timeZone: workspace.timeZone });
  },
});
