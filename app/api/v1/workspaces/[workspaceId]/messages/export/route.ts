import { memberRoute } from "@/lib/auth/member-request";
import { csvDownload } from "@/lib/core/csv";
import { csvHeading, csvRows } from "@/lib/messages/downloads";
import { messagePages } from "@/lib/messages/log-queries";
import { readLogView } from "@/lib/messages/log-view";
import { listReader } from "@/lib/workspaces/read-lists";

const ROWS_AT_ONCE = 500;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = memberRoute(async ({ member, search }) => {
  const view = readLogView(member, search);
  const fileName = `messages-${view.mode}-${new Date().toISOString().slice(0, 10)}.csv`;
  const pages = messagePages(view, ROWS_AT_ONCE, listReader(member));
  return csvDownload(fileName, csvHeading(member.role), csvRows(pages, member.role));
});
