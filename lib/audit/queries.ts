import { and, asc, desc, eq, like, type SQL, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { auditLog, users } from "@/db/schema";
import type { PageCursor } from "@/lib/dashboard/page-cursor";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { AuditFilters } from "./audit-filters";

const PER_PAGE = 50;
const PER_DOWNLOAD_PAGE = 1_000;

export type AuditList = {
  filters: AuditFilters;
  /** Of the workspace, whose days the filters mean. */
  timeZone: string;
};

/** A page of the log, newest first: the one that follows `older`, or that precedes `newer`, or the first. */
export const listAudit = async (
  workspaceId: WorkspaceId,
  { older, newer, ...list }: AuditList & { older?: PageCursor | undefined; newer?: PageCursor | undefined },
) => {
  const matching = and(eq(auditLog.workspaceId, workspaceId), ...conditions(list));
  if (newer && !older) {
    const found = await onDatabase((db) =>
      selectRows(db)
        .where(and(matching, sql`${PLACE} > ${placeOf(newer)}`))
        .orderBy(asc(auditLog.at), asc(auditLog.id))
        .limit(PER_PAGE + 1),
    );
    // Fewer than a page of newer rows means that the first page is due, whole.
    if (found.length > PER_PAGE) return { rows: found.slice(0, PER_PAGE).reverse(), hasNewer: true, hasOlder: true };
  }
  const found = await olderRows(workspaceId, { ...list, older, limit: PER_PAGE + 1 });
  return { rows: found.slice(0, PER_PAGE), hasNewer: Boolean(older), hasOlder: found.length > PER_PAGE };
};

export type AuditRowForPeople = Awaited<ReturnType<typeof listAudit>>["rows"][number];

/** The whole log that matches, newest first, a page at a time. */
export async function* streamAudit(workspaceId: WorkspaceId, list: AuditList): AsyncGenerator<AuditRowForPeople[]> {
  let older: PageCursor | undefined;
  for (;;) {
    const rows = await olderRows(workspaceId, { ...list, older, limit: PER_DOWNLOAD_PAGE });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PER_DOWNLOAD_PAGE) return;
    older = { createdAt: last.at, id: last.id };
  }
}

/** Everybody and every program that the log names, for its filter. */
export const listActors = (workspaceId: WorkspaceId) =>
  onDatabase((db) =>
    db
      .selectDistinct({ kind: auditLog.actorKind, id: auditLog.actorId, name: users.name })
      .from(auditLog)
      .leftJoin(users, and(eq(auditLog.actorKind, "user"), eq(users.id, auditLog.actorId)))
      .where(eq(auditLog.workspaceId, workspaceId)),
  );

const olderRows = (
  workspaceId: WorkspaceId,
  { older, limit, ...list }: AuditList & { older: PageCursor | undefined; limit: number },
) =>
  onDatabase((db) =>
    selectRows(db)
      .where(
        and(eq(auditLog.workspaceId, workspaceId), ...conditions(list), older && sql`${PLACE} < ${placeOf(older)}`),
      )
      .orderBy(desc(auditLog.at), desc(auditLog.id))
      .limit(limit),
  );

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

const PLACE = sql`(${auditLog.at}, ${auditLog.id})`;
const placeOf = ({ createdAt, id }: PageCursor) => sql`(${createdAt.toISOString()}::timestamptz, ${id})`;
