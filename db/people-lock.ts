import type { Sql } from "postgres";

/** Serializes contact writes per workspace: people have many names, so no row-lock order avoids deadlocks. */
export async function lockPeople(sql: Sql, workspaceIds: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('inbound ' || workspace_id, 0))
    from (
      select distinct workspace_id from json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json) as given (workspace_id)
      order by workspace_id
    ) workspace`;
}
