import { memberOf } from "@/lib/auth/member";
import { readCursor } from "@/lib/dashboard/page-cursor";
import { invalid } from "@/lib/errors/app-error";
import { readLogView } from "@/lib/message-log/log-view";
import { countNewer } from "@/lib/message-log/queries";
import { apiRoute } from "@/lib/public-api/api-route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const member = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const { searchParams } = new URL(request.url);
    const since = readCursor(searchParams.get("since"));
    if (!since) throw invalid([{ path: "since", message: "is no place in the log." }]);
    const newer = await countNewer(readLogView(member, searchParams), since);
    return Response.json({ success: true, data: { newer } });
  },
});
