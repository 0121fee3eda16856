import { memberRoute } from "@/lib/auth/member-request";
import { readMode } from "@/lib/core/page-mode";
import { usageDownload } from "@/lib/messages/downloads";
import { readUsageFilters, usageScope } from "@/lib/messages/usage-range";
import { listReader } from "@/lib/workspaces/read-lists";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, search }) => {
  const given = Object.fromEntries(search);
  const mode = readMode(given.mode) ?? "live";
  const { timeZone } = member.workspace;
  const scope = usageScope(readUsageFilters(given, member.role), { mode, timeZone, now: new Date() });
  return listReader(member).read(() => usageDownload(member.workspaceId, scope));
});
