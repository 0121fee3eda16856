import { boolean, date, jsonb, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { workspaces } from "./identity";

/** What became of a row: `given` is its first cell; `outcome` says what it was read as, or why it was left out. */
export type CardRow = { row: number; given: string; isRead: boolean; outcome: string };

/** A workspace's prices of messages, as an owner or operator uploaded them, and its budget for a month. */
export const rateCards = pgTable("rate_cards", {
  workspaceId: id()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  uploadedAt: instant().notNull().defaultNow(),
  /** What became of the rows of the last file: those that were left out first, as many as are shown. */
  rows: jsonb().$type<CardRow[]>(),
  /** For the messages of a calendar month of the workspace's time zone; null without a budget. */
  budget: numeric({ precision: 18, scale: 2 }),
  budgetCurrency: text(),
});

/** The prices of a card. A region's row stands once for each of its countries. */
export const rates = pgTable(
  "rates",
  {
    workspaceId: id().references(() => rateCards.workspaceId, { onDelete: "cascade" }),
    /** ISO code, or `*` for countries without a price of their own. */
    country: text().notNull(),
    category: text().notNull(),
    /** Whether it is the price of a region, which gives way to one of the country. */
    isRegional: boolean().notNull(),
    /** First day of the workspace's time zone. */
    validFrom: date().notNull(),
    /** The first day of the card that took its place; null while none has. */
    validUntil: date(),
    price: numeric({ precision: 18, scale: 8 }).notNull(),
    currency: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.country, table.category, table.isRegional, table.validFrom] }),
  ],
);

export type Rate = typeof rates.$inferSelect;
