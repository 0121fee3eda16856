import { sql } from "drizzle-orm";
import { foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "../columns";
import { workspaces } from "./identity";

export const contacts = pgTable(
  "contacts",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    /** Digits with country code, no plus sign; after an erasure `erased:` and the id. Null while only the user id is known. */
    phone: text(),
    name: text(),
    /** WhatsApp's business-scoped user id, when a webhook has named it. */
    whatsappUserId: text(),
    /** A message from the contact opens 24 hours for free text. */
    lastInboundAt: instant(),
    /** Set by an erasure: the row stays for its messages, and no person can be reached through it. */
    erasedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("contacts_phone").on(table.workspaceId, table.phone),
    // Of contacts without a number there is one for each user id.
    uniqueIndex("contacts_user_only").on(table.workspaceId, table.whatsappUserId).where(sql`${table.phone} is null`),
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

/**
 * Numbers under which WhatsApp knows a contact besides `phone`: it adds or drops a digit in Brazil, Mexico and Argentina.
 * Learned from its own answers and webhooks, never from how numbers look. One number may stand for several contacts.
 */
export const contactAliases = pgTable(
  "contact_aliases",
  {
    workspaceId: id(),
    /** Digits. */
    waId: id(),
    contactId: id(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.waId, table.contactId] }),
    foreignKey({
      columns: [table.workspaceId, table.contactId],
      foreignColumns: [contacts.workspaceId, contacts.id],
    }).onDelete("cascade"),
    index("contact_aliases_contact").on(table.workspaceId, table.contactId),
  ],
);

export type Contact = typeof contacts.$inferSelect;
