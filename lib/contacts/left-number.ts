import type { PendingQuery, Row, Sql } from "postgres";
import type { WorkspaceId } from "@/lib/core/principal";

/** Whether a person has left the number and no one has been seen with it since, as SQL: it may still be theirs. */
export function isLeftNumber(sql: Sql, workspaceId: WorkspaceId, phone: string): PendingQuery<Row[]> {
  return sql`
      coalesce((
        select bool_or(is_left) and not bool_or(not is_left and last_seen_at is not null) from contact_names
        where workspace_id = ${workspaceId} and name = ${phone}
      ), false)`;
}
