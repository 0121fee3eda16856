import type { Sql } from "postgres";

/** Contacts are written by one transaction at a time and workspace: people are found by many names, so no order of rows would do. */
export async function lockPeople(sql: Sql, workspaceIds: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('inbound ' || workspace_id, 0))
    from (
      select distinct workspace_id from json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json) as given (workspace_id)
      order by workspace_id
    ) workspace`;
}
