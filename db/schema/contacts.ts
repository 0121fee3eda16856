import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "../columns";
import { workspaces } from "./identity";

export const contacts = pgTable(
  "contacts",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    /** The current number: digits with country code, no plus sign; after an erasure `erased:` and the id. Null without one. */
    phone: text(),
    name: text(),
    /** The newest of WhatsApp's business-scoped user ids, when a webhook has named one. */
    whatsappUserId: text(),
    /** A message from the contact opens 24 hours for free text. */
    lastInboundAt: instant(),
    /** Set by an erasure: the row stays for its messages, and no person can be reached through it. */
    erasedAt: instant(),
    /** Another contact turned out to be the same person: this row keeps an id that callers know, and nothing else. */
    mergedInto: text(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.mergedInto],
      foreignColumns: [table.workspaceId, table.id],
    }).onDelete("cascade"),
    index("contacts_merged_into").on(table.workspaceId, table.mergedInto).where(sql`${table.mergedInto} is not null`),
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
 * Everything under which WhatsApp knows a contact: phone numbers, also as it writes them itself (it adds or drops a digit in
 * Brazil, Mexico and Argentina), and user ids. A trigger on `contacts` adds what a caller gives (db/migrations/0021).
 */
export const contactNames = pgTable(
  "contact_names",
  {
    workspaceId: id(),
    contactId: id(),
    /** Digits, or a user id. */
    name: id(),
    /** Of a user id, the business account that it was seen under; "" for a number, and where it is unknown. */
    account: text().notNull().default(""),
    firstSeenAt: instant().notNull().defaultNow(),
    /** Null where only a caller, or a status, named it. */
    lastSeenAt: instant(),
    /** When WhatsApp announced it as new. */
    arrivedAt: instant(),
    /** When WhatsApp announced that the person gave it up. */
    leftAt: instant(),
    /** Since when another person was seen to have it. */
    takenAt: instant(),
    /** What follows from all names of the contact (lib/contacts/names.ts): nothing is sent to it any more. */
    isLeft: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.name, table.contactId, table.account] }),
    foreignKey({
      columns: [table.workspaceId, table.contactId],
      foreignColumns: [contacts.workspaceId, contacts.id],
    }).onDelete("cascade"),
    index("contact_names_contact").on(table.workspaceId, table.contactId),
    // Whether two accounts know anyone under one id.
    index("contact_names_account").on(table.workspaceId, table.account, table.name).where(sql`${table.account} <> ''`),
  ],
);

/** Not used any more: `contact_names` has them. The release before this one still reads it. */
export const contactAliases = pgTable(
  "contact_aliases",
  {
    workspaceId: id(),
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
