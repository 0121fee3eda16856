import { bigint, integer, pgTable, text } from "drizzle-orm/pg-core";

/** Fixed windows of the rate limits where no Upstash store is set. Unlogged: a crash forgets one window at most. */
export const rateWindows = pgTable("rate_windows", {
  id: text().primaryKey(),
  bucket: bigint({ mode: "number" }).notNull(),
  used: integer().notNull(),
});
