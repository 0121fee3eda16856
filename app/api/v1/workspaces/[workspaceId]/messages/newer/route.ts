import { memberOf } from "@/lib/auth/member";
import { invalid } from "@/lib/core/app-error";
import { readCursor } from "@/lib/core/page-cursor";
import { countNewer } from "@/lib/messages/log-queries";
import { readLogView } from "@/lib/messages/log-view";
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
