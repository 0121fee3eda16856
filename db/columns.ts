import { sql } from "drizzle-orm";
import { customType, text, timestamp } from "drizzle-orm/pg-core";

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
