import { sql } from "drizzle-orm";
import { foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, id, instant } from "../columns";
import { workspaces } from "./identity";
import { messages } from "./messages";
import { phoneNumbers } from "./phone-numbers";

/** What WhatsApp ever said of a message, each once. A null `messageId` waits for its message for 7 days. */
export const statusEvents = pgTable(
  "status_events",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    phoneNumberId: id(),
    messageId: text(),
    /** SHA-256 of WhatsApp's own object: a repeated delivery is the same event. */
    digest: bytes().notNull(),
    whatsappMessageId: text().notNull(),
    /** WhatsApp's word, also one that we do not know. */
    status: text().notNull(),
    failureCode: integer(),
    failureReason: text(),
    /** WhatsApp's own object as JSON; it names the recipient. Null once removed with the message's contents. */
    raw: text(),
    occurredAt: instant().notNull(),
    receivedAt: instant().notNull().defaultNow(),
    /** How often it came again once its message was known. */
    repeats: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.phoneNumberId],
      foreignColumns: [phoneNumbers.workspaceId, phoneNumbers.id],
    }).onDelete("cascade"),
    foreignKey({
      columns: [table.workspaceId, table.messageId],
      foreignColumns: [messages.workspaceId, messages.id],
    }).onDelete("cascade"),
    uniqueIndex("status_events_digest").on(table.workspaceId, table.phoneNumberId, table.digest),
    index("status_events_message").on(table.workspaceId, table.messageId),
    // What has come since the last roll-up; as it comes in order, a few bytes are enough.
    index("status_events_received").using("brin", table.receivedAt),
    index("status_events_unmatched")
      .on(table.workspaceId, table.phoneNumberId, table.whatsappMessageId)
      .where(sql`${table.messageId} is null`),
  ],
);

export type StatusEventRow = typeof statusEvents.$inferSelect;
