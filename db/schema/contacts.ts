import { sql } from "drizzle-orm";
import { foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "../columns";
import { workspaces } from "./identity";
import { messages } from "./messages";
import { phoneNumbers } from "./phone-numbers";

export const contacts = pgTable(
  "contacts",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    /** Digits with country code, no plus sign. */
    phone: text().notNull(),
    name: text(),
    /** The platform's business-scoped user id, when a webhook has named it. */
    whatsappUserId: text(),
    /** A message from the contact opens 24 hours for free text. */
    lastInboundAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("contacts_phone").on(table.workspaceId, table.phone),
    uniqueIndex("contacts_ref").on(table.workspaceId, table.ref),
    index("contacts_created").on(table.workspaceId, table.createdAt, table.id),
    // People who show a user name in place of their number are found by it.
    index("contacts_whatsapp_user")
      .on(table.workspaceId, table.whatsappUserId)
      .where(sql`${table.whatsappUserId} is not null`),
  ],
);

/** Opened by an interactive flow message; closed by the contact's reply, by a send that asks for it, or after 24 hours. */
export const flowSessions = pgTable(
  "flow_sessions",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    contactId: id(),
    phoneNumberId: id(),
    messageId: id(),
    openedAt: instant().notNull().defaultNow(),
    closedAt: instant(),
    closedBy: text({ enum: ["reply", "send", "expiry"] }),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.contactId],
      foreignColumns: [contacts.workspaceId, contacts.id],
    }).onDelete("cascade"),
    foreignKey({
      columns: [table.workspaceId, table.phoneNumberId],
      foreignColumns: [phoneNumbers.workspaceId, phoneNumbers.id],
    }).onDelete("cascade"),
    foreignKey({
      columns: [table.workspaceId, table.messageId],
      foreignColumns: [messages.workspaceId, messages.id],
    }).onDelete("cascade"),
    index("flow_sessions_open").on(table.workspaceId, table.contactId).where(sql`${table.closedAt} is null`),
  ],
);

export type Contact = typeof contacts.$inferSelect;
