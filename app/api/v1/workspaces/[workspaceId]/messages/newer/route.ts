import { memberOf } from "@/lib/auth/member";
import { invalid } from "@/lib/core/app-error";
import { readCursor } from "@/lib/core/keyset-page";
import { countNewer } from "@/lib/messages/log-queries";
import { readLogView } from "@/lib/messages/log-view";
import { apiRoute } from "@/lib/public-api/api-route";
import { listReader } from "@/lib/workspaces/read-lists";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const member = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const { searchParams } = new URL(request.url);
    const since = readCursor(searchParams.get("since"));
    if (!since) throw invalid([{ path: "since", message: "is no place in the log." }]);
    const view = readLogView(member, searchParams);
    const newer = await listReader(member).read(() => countNewer(view, since));
    return Response.json({ success: true, data: { newer } });
  },
});
