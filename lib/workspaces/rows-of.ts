import { and, eq, isNull, type SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { WorkspaceId } from "@/lib/core/principal";

type OwnedTable = PgTable & { workspaceId: PgColumn };
type Values<Table extends OwnedTable> = {
  [Column in keyof Table["$inferSelect"]]?: Table["$inferSelect"][Column] | undefined;
};

/**
 * Selects a workspace's rows whose columns have these values: `{ mode, disconnectedAt: null }`. An undefined value is
 * not compared, so that optional filters can be passed as they are.
 */
export function rowsOf<Table extends OwnedTable>(
  table: Table,
  workspaceId: WorkspaceId,
  values: Values<Table> = {},
): SQL {
  const columns = table as unknown as Record<string, PgColumn>;
  const conditions = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const column = columns[name];
    // Left out, it would select more than was asked for.
    if (!column) throw new Error(`the table has no column of ${name}`);
    return value === null ? isNull(column) : eq(column, value);
  });
  return and(eq(table.workspaceId, workspaceId), ...conditions) as SQL;
}
