import { memberRoute } from "@/lib/auth/member-request";
import { readAuditFilters } from "@/lib/workspaces/audit-filters";
import { auditDownload } from "@/lib/workspaces/audit-queries";
import { listReader } from "@/lib/workspaces/read-lists";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, search }) => {
  const list = { filters: readAuditFilters(Object.fromEntries(search)), timeZone: member.workspace.timeZone };
  return auditDownload(member.workspaceId, list, listReader(member));
}, "seeAuditLog");
