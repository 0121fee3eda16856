import type { Fragment, Sql } from "postgres";

/**
 * Deletes the rows of `table` whose `key` columns `due` selects, and returns how many. By key, not by ctid: a ctid is
 * unique in one partition only, so it would find other workspaces' rows in the others.
 */
export function deleteByKey(
  sql: Sql,
  { table, key = ["workspace_id", "id"], due }: { table: string; key?: readonly string[]; due: Fragment },
) {
  return sql`
    with due as materialized (${due})
    delete from ${sql(table)} gone using due where ${sameKey(sql, key)}`;
}

const sameKey = (sql: Sql, key: readonly string[]): Fragment =>
  key.map((column) => sql`gone.${sql(column)} = due.${sql(column)}`).reduce((all, one) => sql`${all} and ${one}`);
