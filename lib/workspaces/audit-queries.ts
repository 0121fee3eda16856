import { and, eq, like, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { auditLog, users } from "@/db/schema";
import { beyondCursor, type PagePlace, type PageStep, readingOrder, readKeysetPage } from "@/lib/core/keyset-page";
import type { PageCursor } from "@/lib/core/page-cursor";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { AuditFilters } from "./audit-filters";

const PER_PAGE = 50;
const PER_DOWNLOAD_PAGE = 1_000;

export type AuditList = {
  filters: AuditFilters;
  /** Of the workspace, whose days the filters mean. */
  timeZone: string;
};

/** A page of the log, newest first. */
export function listAudit(workspaceId: WorkspaceId, { older, newer, ...list }: AuditList & PagePlace) {
  return readKeysetPage(
    { older, newer },
    {
      perPage: PER_PAGE,
      read: (step) => readAudit(workspaceId, list, step),
      cursorOf: placeOfRow,
    },
  );
}

export type AuditRowForPeople = Awaited<ReturnType<typeof readAudit>>[number];

/** The whole log that matches, newest first, a page at a time. */
export async function* streamAudit(workspaceId: WorkspaceId, list: AuditList): AsyncGenerator<AuditRowForPeople[]> {
  let cursor: PageCursor | undefined;
  for (;;) {
    const rows = await readAudit(workspaceId, list, { direction: "older", cursor, limit: PER_DOWNLOAD_PAGE });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PER_DOWNLOAD_PAGE) return;
    cursor = placeOfRow(last);
  }
}

/** Every person and program that the log names, for its filter. */
export function listActors(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .selectDistinct({ kind: auditLog.actorKind, id: auditLog.actorId, name: users.name })
      .from(auditLog)
      .leftJoin(users, and(eq(auditLog.actorKind, "user"), eq(users.id, auditLog.actorId)))
      .where(eq(auditLog.workspaceId, workspaceId)),
  );
}

const readAudit = (workspaceId: WorkspaceId, list: AuditList, step: PageStep) =>
  onDatabase((db) =>
    selectRows(db)
      .where(and(eq(auditLog.workspaceId, workspaceId), ...conditions(list), beyondCursor(auditLog, step)))
      .orderBy(...readingOrder(auditLog, step))
      .limit(step.limit),
  );

const placeOfRow = ({ at, id }: { at: Date; id: string }): PageCursor => ({ createdAt: at, id });

const conditions = ({ filters, timeZone }: AuditList): (SQL | undefined)[] => {
  const dayStart = (day: string, days: number) =>
    sql`(${day}::date + ${days}::int)::timestamp at time zone ${timeZone}`;
  return [
    filters.actor ? eq(auditLog.actorId, filters.actor) : undefined,
    filters.thing ? like(auditLog.action, `${filters.thing}.%`) : undefined,
    filters.target ? eq(auditLog.targetId, filters.target) : undefined,
    filters.from ? sql`${auditLog.at} >= ${dayStart(filters.from, 0)}` : undefined,
    filters.to ? sql`${auditLog.at} < ${dayStart(filters.to, 1)}` : undefined,
  ];
};

const selectRows = (db: Db) =>
  db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      actorKind: auditLog.actorKind,
      actorId: auditLog.actorId,
      actorName: users.name,
      action: auditLog.action,
      targetKind: auditLog.targetKind,
      targetId: auditLog.targetId,
      before: auditLog.before,
      after: auditLog.after,
      requestId: auditLog.requestId,
    })
    .from(auditLog)
    .leftJoin(users, and(eq(auditLog.actorKind, "user"), eq(users.id, auditLog.actorId)));
