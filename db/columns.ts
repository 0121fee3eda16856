import { sql } from "drizzle-orm";
import { type AnyPgColumn, customType, foreignKey, text, timestamp } from "drizzle-orm/pg-core";

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
