import { sql } from "drizzle-orm";
import { check, date, foreignKey, integer, pgTable, primaryKey, smallint } from "drizzle-orm/pg-core";
import { id } from "../columns";
import { workspaces } from "./identity";

/**
 * Messages of a month (UTC) that count against the plan, and units that were handed out to shares for further ones. The
 * check is the plan limit: what takes more than there is cannot commit.
 */
export const usage = pgTable(
  "usage",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    month: date().notNull(),
    used: integer().notNull(),
    /** The limit in force when it was last taken from; null means none. */
    messageLimit: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.month] }),
    check("usage_within_limit", sql`${table.used} <= ${table.messageLimit}`),
  ],
);

/** Units of `usage` for the next claims: each locks one of these rows, so that they need not wait for each other. */
export const usageShares = pgTable(
  "usage_shares",
  {
    workspaceId: id(),
    month: date().notNull(),
    slot: smallint().notNull(),
    unitsLeft: integer().notNull(),
    /** The limit under which they were handed out; under another one they are worth nothing. */
    messageLimit: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.month, table.slot] }),
    foreignKey({
      columns: [table.workspaceId, table.month],
      foreignColumns: [usage.workspaceId, usage.month],
    }).onDelete("cascade"),
    check("usage_shares_left", sql`${table.unitsLeft} >= 0`),
  ],
);
