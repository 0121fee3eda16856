import { sql } from "drizzle-orm";
import { check, date, foreignKey, integer, pgTable, primaryKey, smallint } from "drizzle-orm/pg-core";
import { id } from "../columns";
import { workspaces } from "./identity";

/**
 * Messages of a month (UTC) that count against a plan with a limit. The check is the plan limit: what takes more than
 * there is cannot commit.
 */
export const usage = pgTable(
  "usage",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    month: date().notNull(),
    used: integer().notNull(),
    /** The limit in force when it was last taken from. Null means that no statement keeps `used`. */
    messageLimit: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.month] }),
    check("usage_within_limit", sql`${table.used} <= ${table.messageLimit}`),
  ],
);

/** Of the former release, which may still deal out units here beside this one. The next release drops it. */
export const usageShares = pgTable(
  "usage_shares",
  {
    workspaceId: id(),
    month: date().notNull(),
    slot: smallint().notNull(),
    unitsLeft: integer().notNull(),
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
