import { eq } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { type Alert, members, type Role, users } from "@/db/schema";
import type { WorkspaceId } from "@/lib/core/principal";
import { kindsFor } from "@/lib/workspaces/alert-kinds";
import { rowsOf } from "@/lib/workspaces/rows-of";

export type ShownAlert = Pick<Alert, "id" | "kind" | "tone" | "sentence" | "href" | "action" | "openedAt" | "closedAt">;

const MOST_SHOWN = 200;

/** Returns what a member may see, open ones first, then the latest. Those about a person are theirs alone, in every workspace. */
export function listAlerts(workspaceId: WorkspaceId, reader: { userId: string; role: Role }): Promise<ShownAlert[]> {
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
