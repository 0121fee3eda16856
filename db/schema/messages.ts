import { sql } from "drizzle-orm";
import { boolean, date, index, integer, pgEnum, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Fragment, Sql } from "postgres";
import { bytes, createdAt, id, instant, updatedAt, withinWorkspace } from "../columns";
import { apiKeys } from "./api-keys";
import { phoneNumbers } from "./business-accounts";
import { contacts } from "./contacts";
import { mode, workspaces } from "./identity";

/** In rank order: `greatest()` on this type merges statuses in any order. */
export const messageStatus = pgEnum("message_status", ["PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"]);

/** Phase of the send. From DISPATCHING on, the row is never sent again unless a definite refusal is stored. */
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
    /** Set when the contents were removed: nothing may restore them, and the row is never retried. */
    contentsRemovedAt: instant(),
    requestId: text(),
    /** Of the last call that sent it, for its events to partners; null without traces. */
    traceparent: text(),
    idempotencyKey: text(),
    fingerprint: bytes().notNull(),
    phase: sendPhase().notNull(),
    /** Fencing token, incremented at each change of owner; an owner with an older token can no longer write. */
    fencingToken: integer().notNull().default(1),
    leaseExpiresAt: instant().notNull(),
    attempt: integer().notNull().default(1),
    status: messageStatus().notNull().default("PENDING"),
    whatsappMessageId: text(),
    /** `message_status` of WhatsApp's 200, such as held_for_quality_assessment. */
    whatsappMessageStatus: text(),
    failureReason: text(),
    failureCode: integer(),
    /** WhatsApp's `fbtrace_id` of a refusal, which its support asks for; webhooks bring none. */
    failureTraceId: text(),
    /** When WhatsApp withheld the latest try before this one (131049); null if it withheld none. */
    withheldBeforeAt: instant(),
    /** WhatsApp's price of the message, in its own words: of its earliest status with one. All null without. */
    pricingBillable: boolean(),
    pricingType: text(),
    pricingCategory: text(),
    pricingModel: text(),
    /** WhatsApp's time of the status that brought the price. */
    pricedAt: instant(),
    /** ISO code of the recipient's country, stored with the price; it outlives the number. Null if unknown. */
    recipientCountry: text(),
    /** The month whose quota this row counts against; null if none (test mode, or returned). */
    unitMonth: date(),
    /** The month in which this row counts against the cap of its key, in both modes; null if none. */
    keyUnitMonth: date(),
    dispatchedAt: instant(),
    sentAt: instant(),
    deliveredAt: instant(),
    readAt: instant(),
    failedAt: instant(),
    /** The number of events from its status changes; maintained by a trigger (db/migrations/0016). */
    eventCount: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    withinWorkspace(table, table.phoneNumberId, phoneNumbers),
    withinWorkspace(table, table.contactId, contacts),
    withinWorkspace(table, table.apiKeyId, apiKeys),
    uniqueIndex("messages_idempotency_key").on(table.workspaceId, table.mode, table.idempotencyKey),
    index("messages_created").on(table.workspaceId, table.createdAt, table.id),
    index("messages_contact").on(table.workspaceId, table.contactId, table.createdAt, table.id),
    index("messages_whatsapp_id")
      .on(table.workspaceId, table.phoneNumberId, table.whatsappMessageId)
      .where(sql`${table.whatsappMessageId} is not null`),
    // For the operator's metrics. On `phase`, which other predicates have, too: one on `status` would end HOT updates.
    index("messages_unknown").on(table.createdAt).where(sql`${table.phase} = 'UNKNOWN'`),
    // The sweeper's work list: only rows in flight, so it stays tiny.
    index("messages_in_flight").on(table.leaseExpiresAt).where(sql`${table.phase} in ('ACCEPTED', 'DISPATCHING')`),
  ],
);

export type Message = typeof messages.$inferSelect;
export type MessageStatus = (typeof messageStatus.enumValues)[number];
export type SendPhase = (typeof sendPhase.enumValues)[number];
export type MessageType = (typeof messageType.enumValues)[number];

/** Every status event of a message, deduplicated. With a null `messageId`, it waits 7 days for its message. */
export const statusEvents = pgTable(
  "status_events",
  {
    workspaceId: id(),
    id: id(),
    phoneNumberId: id(),
    messageId: text(),
    /** SHA-256 of WhatsApp's own object: a repeated delivery is the same event. */
    digest: bytes().notNull(),
    whatsappMessageId: text().notNull(),
    /** WhatsApp's status, including unknown ones. */
    status: text().notNull(),
    failureCode: integer(),
    failureReason: text(),
    /** WhatsApp's own object as JSON; it names the recipient. Null once removed with the message's contents. */
    raw: text(),
    occurredAt: instant().notNull(),
    receivedAt: instant().notNull().defaultNow(),
    /** How often it was repeated once its message was known. */
    repeats: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    withinWorkspace(table, table.phoneNumberId, phoneNumbers).onDelete("cascade"),
    // Its message needs no key: the one statement that writes `messageId` locks the message (record-statuses.ts).
    uniqueIndex("status_events_digest").on(table.workspaceId, table.phoneNumberId, table.digest),
    index("status_events_message").on(table.workspaceId, table.messageId),
    // Finds rows since the last roll-up; rows arrive in order, so a tiny index is enough.
    index("status_events_received").using("brin", table.receivedAt),
    index("status_events_unmatched")
      .on(table.workspaceId, table.phoneNumberId, table.whatsappMessageId)
      .where(sql`${table.messageId} is null`),
  ],
);

export type StatusEventRow = typeof statusEvents.$inferSelect;

/** The people whom an account's lines messaged first, outside of 24 hours after their own message, within the last 24 hours. */
export const conversationStarts = pgTable(
  "conversation_starts",
  {
    workspaceId: id(),
    whatsappBusinessAccountId: text().notNull(),
    contactId: id(),
    /** The latest. */
    startedAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.whatsappBusinessAccountId, table.contactId] }),
    withinWorkspace(table, table.contactId, contacts).onDelete("cascade"),
    index("conversation_starts_started").on(table.startedAt),
  ],
);

/** Media that a line has uploaded recently, by the digest of its source URL. */
export const mediaUploads = pgTable(
  "media_uploads",
  {
    workspaceId: id(),
    phoneNumberId: id(),
    urlDigest: bytes().notNull(),
    whatsappMediaId: text().notNull(),
    /** The file name that recipients see for a document; null for pictures and videos. */
    fileName: text(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.phoneNumberId, table.urlDigest] }),
    withinWorkspace(table, table.phoneNumberId, phoneNumbers).onDelete("cascade"),
  ],
);

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
    withinWorkspace(table, table.contactId, contacts).onDelete("cascade"),
    withinWorkspace(table, table.phoneNumberId, phoneNumbers).onDelete("cascade"),
    withinWorkspace(table, table.messageId, messages).onDelete("cascade"),
    index("flow_sessions_open").on(table.workspaceId, table.contactId).where(sql`${table.closedAt} is null`),
  ],
);

/** The SET clause that closes a session. Each statement selects which. */
export function closedBy(sql: Sql, cause: NonNullable<(typeof flowSessions.$inferSelect)["closedBy"]>): Fragment {
  return sql`closed_at = now(), closed_by = ${cause}`;
}

/** Replies to flow messages whose WhatsApp id is not known yet; the session is closed once it is. */
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
