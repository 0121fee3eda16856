import { sql } from "drizzle-orm";
import { boolean, index, integer, json, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant, updatedAt } from "../columns";
import { mode, workspaces } from "./identity";

export const phoneNumbers = pgTable(
  "phone_numbers",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    label: text().notNull(),
    mode: mode().notNull(),
    displayPhoneNumber: text().notNull(),
    verifiedName: text(),
    whatsappPhoneNumberId: text().notNull(),
    whatsappBusinessAccountId: text().notNull(),
    /** Encrypted (AES-256-GCM, key id in front, bound to this row). */
    accessToken: text().notNull(),
    isActive: boolean().notNull().default(true),
    isDefault: boolean().notNull().default(false),
    qualityRating: text(),
    lastWebhookAt: instant(),
    /** WhatsApp's throughput level and daily messaging limit of the number. */
    throughput: text(),
    messagingLimit: text(),
    tokenCheckedAt: instant(),
    /** Null if the token never expires, or was not checked yet. */
    tokenExpiresAt: instant(),
    /** What WhatsApp said when it refused the token; null while it is accepted. */
    tokenProblem: text(),
    /** When WhatsApp last confirmed that it sends this account's webhooks to our app. */
    subscribedAt: instant(),
    /** A disconnected line keeps its messages and webhooks, but cannot send. */
    disconnectedAt: instant(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("phone_numbers_ref").on(table.workspaceId, table.ref),
    uniqueIndex("phone_numbers_whatsapp").on(table.workspaceId, table.mode, table.whatsappPhoneNumberId),
    // Webhooks have only WhatsApp's ids, and find the workspaces through them.
    index("phone_numbers_webhook").on(table.whatsappPhoneNumberId),
    index("phone_numbers_business_account").on(table.whatsappBusinessAccountId),
  ],
);

export type PhoneNumber = typeof phoneNumbers.$inferSelect;

export const templates = pgTable(
  "templates",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    mode: mode().notNull(),
    whatsappBusinessAccountId: text().notNull(),
    whatsappTemplateId: text().notNull(),
    name: text().notNull(),
    language: text().notNull(),
    category: text().notNull(),
    /** WhatsApp's status; only APPROVED can be sent. */
    status: text().notNull(),
    parameterFormat: text().notNull().default("POSITIONAL"),
    /** As WhatsApp lists them; `json`, because `jsonb` would reorder keys. */
    components: json().$type<unknown[]>().notNull(),
    /** When WhatsApp put it into another category, and the one before; a trigger sets both (db/migrations/0031). */
    recategorizedAt: instant(),
    previousCategory: text(),
    qualityScore: text(),
    rejectedReason: text(),
    /** WhatsApp's time of the status, or that of the sync that found the change; null if no change was seen. */
    statusChangedAt: instant(),
    /** WhatsApp's times of the last events about other parts; null until the first. */
    categoryChangedAt: instant(),
    qualityChangedAt: instant(),
    componentsChangedAt: instant(),
    /** An event that is older than this, or than its part's own time, is late and changes nothing. */
    syncedAt: instant(),
    /** How many events its statuses have made; a trigger counts (db/migrations/0016). */
    eventCount: integer().notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("templates_name_language").on(
      table.workspaceId,
      table.mode,
      table.whatsappBusinessAccountId,
      table.name,
      table.language,
    ),
    index("templates_business_account").on(table.whatsappBusinessAccountId, table.whatsappTemplateId),
  ],
);

/** What identifies a template at WhatsApp: the columns of the unique index. */
export const TEMPLATE_NAME = [
  templates.workspaceId,
  templates.mode,
  templates.whatsappBusinessAccountId,
  templates.name,
  templates.language,
];

/** The order in which a transaction locks several, to prevent deadlocks. */
export const TEMPLATE_LOCK_ORDER = [
  templates.workspaceId,
  sql`(${templates.name} || '/' || ${templates.language}) collate "C"`,
  templates.id,
];

export type Template = typeof templates.$inferSelect;

/** The business accounts of a workspace's live lines, one row each. A job of the kind `templates` reads each one's list. */
export const templateReads = pgTable(
  "template_reads",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    whatsappBusinessAccountId: text().notNull(),
    /** When webhooks reported statuses of templates that were not stored yet, by `name/language/status`. */
    reported: jsonb().$type<Record<string, string>>(),
    /** The business portfolio that owns the account, to which WhatsApp's messaging limit belongs; null if not readable. */
    portfolioId: text(),
    portfolioName: text(),
    /** The people that the portfolio's lines began with in the last 24 hours, and up to which message they are counted. */
    peopleBegun: integer().notNull().default(0),
    peopleCountedUntil: instant(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.whatsappBusinessAccountId] })],
);

/**
 * WhatsApp's last report on a business account or one of its numbers: one row per kind of event, so that no
 * kind hides another. Of two events of a kind, the one with the later event time wins, whatever the order of arrival.
 */
export const accountNotices = pgTable(
  "account_notices",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    whatsappBusinessAccountId: text().notNull(),
    /** The digits of one number; empty if it concerns the whole account. */
    number: text().notNull(),
    kind: text().notNull(),
    /** WhatsApp's value, such as `DISABLED_UPDATE`. */
    event: text().notNull(),
    /** Further details of the event, as JSON: see `NoticeDetail`. */
    detail: text().notNull(),
    occurredAt: instant().notNull(),
    /** Whether it is bad news: of two events in the same second, the bad one wins. */
    isAlarm: boolean().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.whatsappBusinessAccountId, table.number, table.kind] })],
);

/** Verifications by WhatsApp, and refused webhooks. Kept for 7 days. */
export const webhookNotices = pgTable(
  "webhook_notices",
  {
    id: text().primaryKey(),
    at: createdAt(),
    kind: text({ enum: ["verified", "verificationRefused", "signatureRefused", "unknownNumber"] }).notNull(),
    /** Why it was refused, worded for an owner; contains no secret or token. */
    reason: text().notNull().default(""),
    bodyDigest: text(),
    /** The number that the body claims to be about; not verified. */
    whatsappPhoneNumberId: text(),
  },
  (table) => [
    index("webhook_notices_at").on(table.at),
    index("webhook_notices_number").on(table.whatsappPhoneNumberId, table.at),
  ],
);
