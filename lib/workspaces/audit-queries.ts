import { and, eq, like, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import type { ListReader } from "@/db/read-lists";
import { apiKeys, auditLog, phoneNumbers, templates, users, webhookEndpoints, workspaces } from "@/db/schema";
import { type Cell, csvDownload } from "@/lib/core/csv";
import {
  beyondCursor,
  type PageCursor,
  type PagePlace,
  type PageStep,
  readingOrder,
  readKeysetPage,
} from "@/lib/core/keyset-page";
import { type Conditions, meeting, withinDays } from "@/lib/core/list-filters";
import type { WorkspaceId } from "@/lib/core/principal";
import type { AuditFilters } from "./audit-filters";

const PER_PAGE = 50;
const PER_DOWNLOAD_PAGE = 1_000;

export type AuditList = {
  filters: AuditFilters;
  /** The workspace's time zone, for the filters' days. */
  timeZone: string;
};

/** Returns a page of the log, newest first. */
export function listAudit(workspaceId: WorkspaceId, { older, newer, ...list }: AuditList & PagePlace) {
  const read = (step: PageStep) => readAudit(workspaceId, list, step);
  return readKeysetPage({ older, newer }, { perPage: PER_PAGE, read, cursorOf: placeOfRow });
}

export type ShownAuditRow = Awaited<ReturnType<typeof readAudit>>[number];

const isActor = and(eq(auditLog.actorKind, "user"), eq(users.id, auditLog.actorId));

/** Lists every user and program in the log, for its filter. */
export function listActors(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .selectDistinct({ kind: auditLog.actorKind, id: auditLog.actorId, name: users.name })
      .from(auditLog)
      .leftJoin(users, isActor)
      .where(eq(auditLog.workspaceId, workspaceId)),
  );
}

const target = alias(users, "target");

/** What the target is called now; null if it is gone, or is of a kind without names. Members' names are global. */
const TARGET_NAME = sql<string | null>`coalesce(${apiKeys.label}, ${phoneNumbers.label}, ${webhookEndpoints.label},
  ${templates.name} || ' (' || ${templates.language} || ')', ${target.name}, ${workspaces.name})`;

const isTarget = (kind: string, { workspaceId, id }: { workspaceId: PgColumn; id: PgColumn }) =>
  and(eq(auditLog.targetKind, kind), eq(workspaceId, auditLog.workspaceId), eq(id, auditLog.targetId));

const readAudit = (workspaceId: WorkspaceId, list: AuditList, step: PageStep) =>
  onDatabase((db) =>
    db
      .select({
        ...columnsOf(auditLog, "id", "at", "actorKind", "actorId", "action", "targetKind", "targetId"),
        ...columnsOf(auditLog, "before", "after", "requestId"),
        actorName: users.name,
        targetName: TARGET_NAME,
      })
      .from(auditLog)
      .leftJoin(users, isActor)
      .leftJoin(apiKeys, isTarget("apiKey", apiKeys))
      .leftJoin(phoneNumbers, isTarget("phoneNumber", phoneNumbers))
      .leftJoin(webhookEndpoints, isTarget("webhookEndpoint", webhookEndpoints))
      .leftJoin(templates, isTarget("template", templates))
      .leftJoin(target, and(eq(auditLog.targetKind, "member"), eq(target.id, auditLog.targetId)))
      .leftJoin(workspaces, and(eq(auditLog.targetKind, "workspace"), eq(workspaces.id, auditLog.targetId)))
      .where(and(eq(auditLog.workspaceId, workspaceId), matches(list), beyondCursor(auditLog, step)))
      .orderBy(...readingOrder(auditLog, step))
      .limit(step.limit),
  );

const placeOfRow = ({ at, id }: { at: Date; id: string }): PageCursor => ({ createdAt: at, id });

function matches({ filters, timeZone }: AuditList): SQL | undefined {
  return and(meeting(CONDITIONS, filters, auditLog), withinDays(auditLog.at, filters, timeZone));
}

const CONDITIONS: Conditions<Omit<AuditFilters, "from" | "to">, typeof auditLog> = {
  actor: (log, id) => eq(log.actorId, id),
  thing: (log, thing) => like(log.action, `${thing}.%`),
  target: (log, id) => eq(log.targetId, id),
};

const HEADING = ["time", "actor", "actor_name", "action", "target", "before", "after", "request_id"];

/** Returns the matching audit log as a CSV file, newest first. */
export function auditDownload(workspaceId: WorkspaceId, list: AuditList, lists: ListReader): Response {
  return csvDownload("audit-log.csv", HEADING, streamLines(workspaceId, list, lists));
}

/** Streams the whole matching log, newest first, one page at a time. */
async function* streamLines(workspaceId: WorkspaceId, list: AuditList, lists: ListReader): AsyncGenerator<Cell[][]> {
  let cursor: PageCursor | undefined;
  for (;;) {
    const step = { direction: "older", cursor, limit: PER_DOWNLOAD_PAGE } as const;
    const rows = await lists.read(() => readAudit(workspaceId, list, step));
    if (rows.length > 0) yield rows.map(line);
    const last = rows.at(-1);
    if (!last || rows.length < PER_DOWNLOAD_PAGE) return;
    cursor = placeOfRow(last);
  }
}

const line = (row: ShownAuditRow): Cell[] => [
  row.at,
  `${row.actorKind}:${row.actorId}`,
  row.actorName,
  row.action,
  row.targetId,
  row.before && JSON.stringify(row.before),
  row.after && JSON.stringify(row.after),
  row.requestId,
];
