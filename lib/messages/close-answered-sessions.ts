import { onSql } from "@/db/raw-sql";
import { closedBy } from "@/lib/contacts/closed-by";
import type { WorkspaceId } from "@/lib/core/principal";

/**
 * Closes flow sessions whose reply came before their message was known by WhatsApp's id: of one workspace, or of all.
 * Returns how many.
 */
export async function closeAnsweredSessions(workspaceId?: WorkspaceId): Promise<number> {
  const closed = await onSql(
    (sql) => sql`
      with answered as (
        select s.workspace_id, s.id from flow_replies r
        join messages m on m.workspace_id = r.workspace_id and m.phone_number_id = r.phone_number_id
          and m.whatsapp_message_id = r.whatsapp_message_id
        join flow_sessions s on s.workspace_id = m.workspace_id and s.id = 'fs_' || substr(m.id, 5)
        where ${workspaceId === undefined ? sql`` : sql`r.workspace_id = ${workspaceId} and`} s.closed_at is null
        order by s.workspace_id, s.id for no key update of s skip locked
      )
      update flow_sessions s set ${closedBy(sql, "reply")} from answered
      where ${workspaceId === undefined ? sql`` : sql`s.workspace_id = ${workspaceId} and`}
        s.workspace_id = answered.workspace_id and s.id = answered.id
      returning s.id`,
    { pool: workspaceId === undefined ? "webhooks" : "requests" },
  );
  return closed.length;
}
