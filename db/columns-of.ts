import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";

type Columns<Table extends PgTable> = Table["_"]["columns"];

/** Returns the named columns of a table, to select or return under their own names. */
export function columnsOf<Table extends PgTable, Name extends keyof Columns<Table>>(
  table: Table,
  ...names: Name[]
): Pick<Columns<Table>, Name> {
  const all: Columns<Table> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as Pick<Columns<Table>, Name>;
}
