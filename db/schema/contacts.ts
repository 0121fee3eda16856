import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant, withinWorkspace } from "../columns";
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
    /**
     * The name as searches compare it (lib/core/fold.ts); null until `foldNames` has written it. A trigger clears it when the
     * name changes (db/migrations/0041), so that it is never another name's.
     */
    foldedName: text(),
    /** The newest of WhatsApp's business-scoped user ids, when a webhook has named one. */
    whatsappUserId: text(),
    /** A message from the contact opens 24 hours for free text. */
    lastInboundAt: instant(),
    /** When the person asked for no more marketing; null if they did not, or took it back. */
    marketingOptedOutAt: instant(),
    /** How: in WhatsApp's own settings, or by a stop word of the workspace. */
    marketingOptOutSource: text({ enum: ["whatsapp", "word"] }),
    /** Time of the newest word on it, so that an older one that arrives later changes nothing. */
    marketingPreferenceAt: instant(),
    /**
     * The same three of test mode: what is written to a test line changes nothing of what live keys may send. A trigger
     * keeps what servers of 0.6 would lose of them (db/migrations/0045); the next release drops it.
     */
    testMarketingOptedOutAt: instant(),
    testMarketingOptOutSource: text({ enum: ["whatsapp", "word"] }),
    testMarketingPreferenceAt: instant(),
    /** Digests of the last things that the person did: a repetition of one makes no event. */
    recentEvents: jsonb().$type<string[]>(),
    /** The number of events about the contact, for their sequence. */
    eventCount: integer().notNull().default(0),
    /** Set by an erasure: the row stays for its messages, and no person can be reached through it. */
    erasedAt: instant(),
    /** Merged into another contact, the same person: this row only keeps an id that callers know. */
    mergedInto: text(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    withinWorkspace(table, table.mergedInto, table).onDelete("cascade"),
    index("contacts_merged_into").on(table.workspaceId, table.mergedInto).where(sql`${table.mergedInto} is not null`),
    uniqueIndex("contacts_phone").on(table.workspaceId, table.phone),
    // Without a number, one contact per user id.
    uniqueIndex("contacts_user_only").on(table.workspaceId, table.whatsappUserId).where(sql`${table.phone} is null`),
    // Partial, like those of names: full of nulls they would be lower than the key's index, and Postgres would check keys by them.
    uniqueIndex("contacts_by_ref").on(table.workspaceId, table.ref).where(sql`${table.ref} is not null`),
    index("contacts_created").on(table.workspaceId, table.createdAt, table.id),
    // For search by name prefix.
    index("contacts_folded_name")
      .on(table.workspaceId, sql`${table.foldedName} text_pattern_ops`)
      .where(sql`${table.foldedName} is not null`),
    index("contacts_to_fold")
      .on(table.workspaceId, table.id)
      .where(sql`${table.foldedName} is null and ${table.name} is not null`),
    // Finds people who show a user name instead of their number.
    index("contacts_whatsapp_user")
      .on(table.workspaceId, table.whatsappUserId)
      .where(sql`${table.whatsappUserId} is not null`),
  ],
);

/**
 * All identities of a contact at WhatsApp: phone numbers, also as WhatsApp spells them (it adds or drops a digit in
 * Brazil, Mexico and Argentina), and user ids. A trigger on `contacts` adds what callers give (db/migrations/0021).
 */
export const contactNames = pgTable(
  "contact_names",
  {
    workspaceId: id(),
    contactId: id(),
    /** Digits, or a user id. */
    name: id(),
    /** For a user id, the business account it was seen under; "" for a number, or if unknown. */
    account: text().notNull().default(""),
    firstSeenAt: instant().notNull().defaultNow(),
    /** Null if only a caller or a status mentioned it. */
    lastSeenAt: instant(),
    /** When WhatsApp announced it as new. */
    arrivedAt: instant(),
    /** When WhatsApp announced that the person gave it up. */
    leftAt: instant(),
    /** Since when another person has been seen with it. */
    takenAt: instant(),
    /** Computed from all names of the contact (lib/contacts/names.ts): nothing is sent to it any more. */
    isLeft: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.name, table.contactId, table.account] }),
    withinWorkspace(table, table.contactId, contacts).onDelete("cascade"),
    index("contact_names_contact").on(table.workspaceId, table.contactId),
    // Finds two accounts that share a user id.
    index("contact_names_account").on(table.workspaceId, table.account, table.name).where(sql`${table.account} <> ''`),
  ],
);
