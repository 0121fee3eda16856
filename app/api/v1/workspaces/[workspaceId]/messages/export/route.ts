import { memberOf } from "@/lib/auth/member";
import { csvHeading, csvRows } from "@/lib/message-log/csv-rows";
import { readLogView } from "@/lib/message-log/log-view";
import { messagePages } from "@/lib/message-log/queries";
import { apiRoute } from "@/lib/public-api/api-route";
import { csvDownload } from "@/lib/text/csv";

const ROWS_AT_ONCE = 500;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  GET: async ({ request, params }) => {
    const member = await memberOf(request.headers.get("cookie"), params.workspaceId ?? "");
    const view = readLogView(member, new URL(request.url).searchParams);
    const fileName = `messages-${view.mode}-${new Date().toISOString().slice(0, 10)}.csv`;
    return csvDownload(fileName, csvHeading(member.role), csvRows(messagePages(view, ROWS_AT_ONCE), member.role));
  },
});
