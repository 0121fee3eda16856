import type { Fragment, Sql } from "postgres";
import { emptied, inList, leftIn, type PersonalTable } from "./personal-data";

/** Empties or deletes the rows of a workspace that are found by `rows`. */
export function eraseRows(sql: Sql, workspaceId: string, { table, rows }: { table: PersonalTable; rows: Fragment }) {
  const where = sql`workspace_id = ${workspaceId} and ${rows}`;
  const left = leftIn(table);
  if (left.length === 0) return sql`delete from ${sql(table)} where ${where}`;
  const [before, after] = [left.map(([column]) => sql`${sql(column)}`), left.map(([, value]) => sql.unsafe(value))];
  return sql`
    update ${sql(table)} set ${emptied(sql, table)}
    where ${where} and (${inList(sql, before)}) is distinct from (${inList(sql, after)})`;
}
