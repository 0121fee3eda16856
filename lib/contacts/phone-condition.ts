import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PhoneMatch } from "@/lib/core/phone";

/** That a column holds one of the numbers: the range is read by the index, and the pattern chooses within it. */
export function isOnePhoneOf(column: SQLWrapper, { from, to, like }: PhoneMatch): SQL {
  return sql`${column} between ${from} and ${to} and ${column} like ${like}`;
}
