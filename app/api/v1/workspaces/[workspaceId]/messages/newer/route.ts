import { memberRoute } from "@/lib/auth/member-request";
import { invalidAt } from "@/lib/core/app-error";
import { readCursor } from "@/lib/core/keyset-page";
import { countNewer } from "@/lib/messages/log-queries";
import { readLogView } from "@/lib/messages/log-view";
import { listReader } from "@/lib/workspaces/read-lists";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, search }) => {
  const since = readCursor(search.get("since"));
  if (!since) throw invalidAt("since", "is no place in the log.");
  const view = readLogView(member, search);
  const newer = await listReader(member).read(() => countNewer(view, since));
  return Response.json({ success: true, data: { newer } });
});
