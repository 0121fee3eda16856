import { sql } from "drizzle-orm";
import { check, date, integer, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { id } from "../columns";
import { workspaces } from "./identity";

/** Messages of a month (UTC) that count against the plan. The check is the plan limit: a claim over it cannot commit. */
export const usage = pgTable(
  "usage",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    month: date().notNull(),
    used: integer().notNull(),
    /** The limit in force at the last claim; null means none. */
    messageLimit: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.month] }),
    check("usage_within_limit", sql`${table.used} <= ${table.messageLimit}`),
  ],
);
