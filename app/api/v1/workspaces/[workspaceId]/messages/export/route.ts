import { memberOf } from "@/lib/auth/member";
import { csvDownload } from "@/lib/core/csv";
import { csvHeading, csvRows } from "@/lib/messages/downloads";
import { messagePages } from "@/lib/messages/log-queries";
import { readLogView } from "@/lib/messages/log-view";
import { apiRoute } from "@/lib/public-api/api-route";
import { listReader } from "@/lib/workspaces/read-lists";

const ROWS_AT_ONCE = 500;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const member = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const view = readLogView(member, new URL(request.url).searchParams);
    const fileName = `messages-${view.mode}-${new Date().toISOString().slice(0, 10)}.csv`;
    const pages = messagePages(view, ROWS_AT_ONCE, listReader(member));
    return csvDownload(fileName, csvHeading(member.role), csvRows(pages, member.role));
  },
});
