import { sql } from "drizzle-orm";
import { foreignKey, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { contacts } from "./contacts";
import { workspaces } from "./identity";
import { messages } from "./messages";
import { phoneNumbers } from "./phone-numbers";

/** Opened by an interactive flow message; closed by the contact's reply, a send that asks for it, or after 24 hours. */
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
    closedBy: text({ enum: ["reply", "send", "expiry", "erasure"] }),
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

/** Replies to flow messages that were not known yet by WhatsApp's id: their session is closed as soon as it is. */
export const flowReplies = pgTable(
  "flow_replies",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    phoneNumberId: id(),
    whatsappMessageId: id(),
    receivedAt: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.phoneNumberId, table.whatsappMessageId] }),
    index("flow_replies_received").on(table.receivedAt),
  ],
);
