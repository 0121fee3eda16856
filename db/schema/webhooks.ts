import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, createdAt } from "../columns";

/** Signed webhooks, or parts of them, that nothing here could use: kept for 7 days so that nothing is lost unseen. */
export const unhandledWebhooks = pgTable(
  "unhandled_webhooks",
  {
    id: text().primaryKey(),
    reason: text().notNull(),
    body: bytes().notNull(),
    receivedAt: createdAt(),
  },
  (table) => [index("unhandled_webhooks_received").on(table.receivedAt)],
);
