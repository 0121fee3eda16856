import { memberOf } from "@/lib/auth/member";
import { apiRoute } from "@/lib/public-api/api-route";
import { readAuditFilters } from "@/lib/workspaces/audit-filters";
import { auditDownload } from "@/lib/workspaces/audit-queries";
import { listReader } from "@/lib/workspaces/read-lists";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const cookie = request.headers.get("cookie");
    const member = await memberOf(cookie, params.workspaceId ?? "", "seeAuditLog");
    const filters = readAuditFilters(Object.fromEntries(new URL(request.url).searchParams));
    return auditDownload(member.workspaceId, { filters, timeZone: member.workspace.timeZone }, listReader(member));
  },
});
