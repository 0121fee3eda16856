import { getTableColumns, sql } from "drizzle-orm";
import { type AnyPgColumn, customType, foreignKey, type PgTable, text, timestamp } from "drizzle-orm/pg-core";

export function instant() {
  return timestamp({ withTimezone: true, precision: 3 });
}
export function createdAt() {
  return instant().notNull().default(sql`now()`);
}
export function updatedAt() {
  return instant().notNull().default(sql`now()`);
}
export function id() {
  return text().notNull();
}
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

type Keyed = { workspaceId: AnyPgColumn; id: AnyPgColumn };

/** A reference from `column` to a row of the same workspace. */
export function withinWorkspace({ workspaceId }: Pick<Keyed, "workspaceId">, column: AnyPgColumn, other: Keyed) {
  return foreignKey({ columns: [workspaceId, column], foreignColumns: [other.workspaceId, other.id] });
}

type Columns<Table extends PgTable> = Table["_"]["columns"];

/** Returns the named columns of a table, to select or return under their own names. */
export function columnsOf<Table extends PgTable, Name extends keyof Columns<Table>>(
  table: Table,
  ...names: Name[]
): Pick<Columns<Table>, Name> {
  const all: Columns<Table> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as Pick<Columns<Table>, Name>;
}
