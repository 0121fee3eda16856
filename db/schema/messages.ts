import { sql } from "drizzle-orm";
import { date, foreignKey, index, integer, pgEnum, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, createdAt, id, instant, updatedAt } from "../columns";
import { apiKeys } from "./api-keys";
import { contacts } from "./contacts";
import { mode, workspaces } from "./identity";
import { phoneNumbers } from "./phone-numbers";

/** In rank order: `greatest()` on this type is the order-free join of statuses. */
export const messageStatus = pgEnum("message_status", ["PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"]);

/** Where the send itself stands. From DISPATCHING on no one sends this row again unless a definite refusal is stored. */
export const sendPhase = pgEnum("send_phase", [
  "ACCEPTED",
  "DISPATCHING",
  "SENT",
  "REFUSED",
  "REFUSED_RETRYABLE",
  "UNKNOWN",
]);

export const messageType = pgEnum("message_type", ["text", "template", "interactive"]);

export const messages = pgTable(
  "messages",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    mode: mode().notNull(),
    apiKeyId: text(),
    phoneNumberId: id(),
    contactId: id(),
    /** Digits, or the user id of a contact without a number; `erased` after an erasure. */
    phone: text().notNull(),
    type: messageType().notNull(),
    templateName: text(),
    templateLanguage: text(),
    /** The validated request as text: `jsonb` would reorder keys, and their order can be meaning. Null once removed. */
    request: text(),
    /** Set where the contents were removed: nothing may bring them back, and the row is never tried again. */
    contentsRemovedAt: instant(),
    requestId: text(),
    idempotencyKey: text(),
    fingerprint: bytes().notNull(),
    phase: sendPhase().notNull(),
    /** Raised by every change of owner; an owner with an older token can no longer write. */
    fencingToken: integer().notNull().default(1),
    leaseExpiresAt: instant().notNull(),
    attempt: integer().notNull().default(1),
    status: messageStatus().notNull().default("PENDING"),
    whatsappMessageId: text(),
    /** WhatsApp's word in its 200, such as held_for_quality_assessment. */
    whatsappMessageStatus: text(),
    failureReason: text(),
    failureCode: integer(),
    /** WhatsApp's `fbtrace_id` of a refusal, which its support asks for; webhooks bring none. */
    failureTraceId: text(),
    /** The month whose plan unit this row holds; null where it holds none (test mode, or given back). */
    unitMonth: date(),
    dispatchedAt: instant(),
    sentAt: instant(),
    deliveredAt: instant(),
    readAt: instant(),
    failedAt: instant(),
    /** How many events its statuses have made; a trigger counts (db/migrations/0016). */
    eventCount: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      columns: [table.workspaceId, table.phoneNumberId],
      foreignColumns: [phoneNumbers.workspaceId, phoneNumbers.id],
    }),
    foreignKey({
      columns: [table.workspaceId, table.contactId],
      foreignColumns: [contacts.workspaceId, contacts.id],
    }),
    foreignKey({
      columns: [table.workspaceId, table.apiKeyId],
      foreignColumns: [apiKeys.workspaceId, apiKeys.id],
    }),
    uniqueIndex("messages_idempotency_key").on(table.workspaceId, table.mode, table.idempotencyKey),
    index("messages_created").on(table.workspaceId, table.createdAt, table.id),
    index("messages_contact").on(table.workspaceId, table.contactId, table.createdAt, table.id),
    index("messages_whatsapp_id")
      .on(table.workspaceId, table.phoneNumberId, table.whatsappMessageId)
      .where(sql`${table.whatsappMessageId} is not null`),
    // The sweeper's work list stays tiny: only rows that are being sent right now.
    index("messages_in_flight").on(table.leaseExpiresAt).where(sql`${table.phase} in ('ACCEPTED', 'DISPATCHING')`),
  ],
);

export type Message = typeof messages.$inferSelect;
export type MessageStatus = (typeof messageStatus.enumValues)[number];
export type SendPhase = (typeof sendPhase.enumValues)[number];
export type MessageType = (typeof messageType.enumValues)[number];
