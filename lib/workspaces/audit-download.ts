import { type Cell, csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import { type AuditList, type AuditRowForPeople, streamAudit } from "./audit-queries";

const HEADING = ["time", "actor", "actor_name", "action", "target", "before", "after", "request_id"];

/** The log that matches as a CSV file, newest first. */
export function auditDownload(workspaceId: WorkspaceId, list: AuditList): Response {
  return csvDownload("audit-log.csv", HEADING, lines(streamAudit(workspaceId, list)));
}

async function* lines(pages: AsyncIterable<AuditRowForPeople[]>): AsyncGenerator<Cell[][]> {
  for await (const rows of pages) yield rows.map(line);
}

const line = (row: AuditRowForPeople): Cell[] => [
  row.at,
  `${row.actorKind}:${row.actorId}`,
  row.actorName,
  row.action,
  row.targetId,
  row.before && JSON.stringify(row.before),
  row.after && JSON.stringify(row.after),
  row.requestId,
];
