import { sql } from "drizzle-orm";
import { index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "../columns";
import { workspaces } from "./identity";

export const contacts = pgTable(
  "contacts",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    /** Digits with country code, no plus sign; after an erasure `erased:` and the id. */
    phone: text().notNull(),
    name: text(),
    /** The platform's business-scoped user id, when a webhook has named it. */
    whatsappUserId: text(),
    /** A message from the contact opens 24 hours for free text. */
    lastInboundAt: instant(),
    /** Set by an erasure: the row stays for its messages, and nobody can be reached through it. */
    erasedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("contacts_phone").on(table.workspaceId, table.phone),
    uniqueIndex("contacts_ref").on(table.workspaceId, table.ref),
    index("contacts_created").on(table.workspaceId, table.createdAt, table.id),
    // A search by the beginning of a name.
    index("contacts_name").on(table.workspaceId, sql`lower(${table.name}) text_pattern_ops`),
    // People who show a user name in place of their number are found by it.
    index("contacts_whatsapp_user")
      .on(table.workspaceId, table.whatsappUserId)
      .where(sql`${table.whatsappUserId} is not null`),
  ],
);

export type Contact = typeof contacts.$inferSelect;
