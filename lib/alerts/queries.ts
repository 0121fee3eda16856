import { eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { members, type Role, users } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";
import { kindsFor } from "./alert-kinds";

type Reader = { userId: string; role: Role };

export type ShownAlert = {
  id: string;
  kind: string;
  tone: "bad" | "caution";
  sentence: string;
  href: string;
  action: string;
  openedAt: Date;
  closedAt: Date | null;
};

const MOST_SHOWN = 200;

/** Returns what a member may see, open ones first, then the latest. Those about a person are theirs alone, in every workspace. */
export function listAlerts(workspaceId: WorkspaceId, reader: Reader): Promise<ShownAlert[]> {
  type Row = Omit<ShownAlert, "openedAt" | "closedAt"> & { openedAt: string; closedAt: string | null };
  return onSql((sql) =>
    readRows(
      sql<Row[]>`
        select id, kind, tone, sentence, href, action, opened_at as "openedAt", closed_at as "closedAt" from alerts
        where ((workspace_id = ${workspaceId} and user_id is null) or user_id = ${reader.userId})
          and kind in (select json_array_elements_text(${JSON.stringify(kindsFor(reader.role))}::text::json))
        order by closed_at is not null, (tone = 'bad' and closed_at is null) desc, opened_at desc, id desc
        limit ${MOST_SHOWN}`,
      (row) => ({
        ...row,
        openedAt: readInstant(row.openedAt),
        closedAt: row.closedAt === null ? null : readInstant(row.closedAt),
      }),
    ),
  );
}

/** Counts the open alerts that a member has not seen on the page of alerts. */
export async function countUnseenAlerts(workspaceId: WorkspaceId, { userId, role }: Reader): Promise<number> {
  const [row] = await onSql(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int as count
      from alerts a join members m on m.workspace_id = ${workspaceId} and m.user_id = ${userId}
      where ((a.workspace_id = ${workspaceId} and a.user_id is null) or a.user_id = ${userId})
        and a.closed_at is null and a.opened_at > coalesce(m.alerts_seen_at, '-infinity')
        and a.kind in (select json_array_elements_text(${JSON.stringify(kindsFor(role))}::text::json))`,
  );
  return row?.count ?? 0;
}

/** What a member receives by e-mail, and whether the account's address is confirmed. */
export async function findAlertSettings(workspaceId: WorkspaceId, userId: string) {
  const [row] = await onDatabase((db) =>
    db
      .select({ mailedAlerts: members.mailedAlerts, emailConfirmedAt: users.emailConfirmedAt })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(rowsOf(members, workspaceId, { userId })),
  );
  return row ?? { mailedAlerts: null, emailConfirmedAt: null };
}
