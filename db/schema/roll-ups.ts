import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import { id, instant, withinWorkspace } from "../columns";
import { apiKeys } from "./api-keys";
import { phoneNumbers } from "./business-accounts";
import { mode, workspaces } from "./identity";
import { messageStatus, messageType } from "./messages";

// Counts by 15 minutes of UTC (named by their start), which align with days in every time zone, so that no chart scans
// the raw rows. Empty text means "none", because primary key columns cannot be null.

const workspaceId = () => id().references(() => workspaces.id, { onDelete: "cascade" });
const hour = () => instant().notNull();
/** Whose counts, and from when. The column's name is of the time when counts were by hour. */
const counted = (unit: "hour" | "starts_at") => ({
  workspaceId: workspaceId(),
  mode: mode().notNull(),
  startsAt: timestamp(unit, { withTimezone: true, precision: 3 }).notNull(),
});
const count = () => integer().notNull();
/** The key of a table of counts: every other column, in their order. */
const allButCount = ({ count: _, delivered: __, endsAt: ___, ...columns }: Record<string, AnyPgColumn>) =>
  Object.values(columns) as [AnyPgColumn, ...AnyPgColumn[]];

const messageColumns = () => ({
  status: messageStatus().notNull(),
  failureCode: integer().notNull().default(0),
  phoneNumberId: id(),
  apiKeyId: id(),
  type: messageType().notNull(),
  templateName: text().notNull(),
  templateLanguage: text().notNull(),
  count: count(),
});

const pricedColumns = () => ({
  phoneNumberId: id(),
  apiKeyId: id(),
  templateName: text().notNull(),
  country: text().notNull(),
  category: text().notNull(),
  type: text().notNull(),
  billable: boolean().notNull(),
  count: count(),
  /** Those that arrived: WhatsApp charges for no other. */
  delivered: count(),
});

/** Messages created per 15 minutes, by current status. */
export const messageQuarters = pgTable(
  "messages_by_quarter",
  { ...counted("starts_at"), ...messageColumns() },
  (table) => [primaryKey({ name: "messages_by_quarter_key", columns: allButCount(table) })],
);

/**
 * The same summed, because a day has about as many rows as a quarter. The spans of a workspace never overlap and hold every
 * quarter. They are its local days as Node computed them when they were last counted; a reader whose days differ (another
 * time zone, newer zone data) sums quarters instead, so that no count is ever wrong, only slower.
 */
export const messageDays = pgTable(
  "messages_by_day",
  { ...counted("starts_at"), endsAt: instant().notNull(), ...messageColumns() },
  (table) => [primaryKey({ name: "messages_by_day_key", columns: allButCount(table) })],
);

export type MessageCounts = typeof messageQuarters | typeof messageDays;

/** Messages with WhatsApp's pricing, per 15 minutes of their creation. */
export const pricedQuarters = pgTable("priced_by_quarter", { ...counted("starts_at"), ...pricedColumns() }, (table) => [
  primaryKey({ name: "priced_by_quarter_key", columns: allButCount(table) }),
]);

/** The same summed, as `messageDays`. */
export const pricedDays = pgTable(
  "priced_by_day",
  { ...counted("starts_at"), endsAt: instant().notNull(), ...pricedColumns() },
  (table) => [primaryKey({ name: "priced_by_day_key", columns: allButCount(table) })],
);

/** Partner API calls per 15 minutes; old rows are per UTC hour. */
export const requestHours = pgTable(
  "request_hours",
  {
    ...counted("hour"),
    apiKeyId: id(),
    operation: text().notNull(),
    status: integer().notNull(),
    errorCode: text().notNull(),
    count: count(),
  },
  (table) => [primaryKey({ name: "request_hours_key", columns: allButCount(table) })],
);

/**
 * Durations by 15 minutes: `ours` and `platform` of sends, `arrival` from sent to delivered.
 */
export const durationHours = pgTable(
  "duration_hours",
  {
    ...counted("hour"),
    kind: text({ enum: ["ours", "platform", "arrival"] }).notNull(),
    /** On a logarithmic scale (lib/core/duration-scale.ts). */
    bucket: integer().notNull(),
    count: count(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.mode, table.startsAt, table.kind, table.bucket] })],
);

/** Webhook events per line and hour of receipt (UTC). `bucket` is the delay, on the same scale. */
export const webhookHours = pgTable(
  "webhook_hours",
  {
    workspaceId: workspaceId(),
    phoneNumberId: id(),
    hour: hour(),
    kind: text({ enum: ["status", "duplicate", "outOfOrder", "inbound", "unmatched"] }).notNull(),
    bucket: integer().notNull(),
    count: count(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.phoneNumberId, table.hour, table.kind, table.bucket] }),
    withinWorkspace(table, table.phoneNumberId, phoneNumbers).onDelete("cascade"),
  ],
);

/** Progress of each roll-up: everything received before `until` is counted. */
export const rollUpMarks = pgTable("roll_up_marks", {
  id: text().primaryKey(),
  until: instant().notNull(),
});

/**
 * Messages per month (UTC) that count against a limited plan. The check enforces the limit: a statement that
 * exceeds it cannot commit.
 */
export const usage = pgTable(
  "usage",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    month: date().notNull(),
    used: integer().notNull(),
    /** The limit at the last update. Null means that `used` is not maintained. */
    messageLimit: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.month] }),
    check("usage_within_limit", sql`${table.used} <= ${table.messageLimit}`),
  ],
);

/** Messages by key and month. Rows of keys with a monthly cap only; stale once a cap was removed, until it is set again. */
export const keyUsage = pgTable(
  "key_usage",
  {
    workspaceId: id(),
    apiKeyId: id(),
    month: date().notNull(),
    used: integer().notNull(),
    /** The cap at the last update. */
    cap: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.apiKeyId, table.month] }),
    withinWorkspace(table, table.apiKeyId, apiKeys).onDelete("cascade"),
    check("key_usage_within_cap", sql`${table.used} <= ${table.cap}`),
  ],
);

/** The rows of `rollUpMarks`: up to when messages are counted, and when unfinished messages were last settled. */
export const MARKS = { counted: "quarters", swept: "sweep" } as const;

/** What became of a row: `given` is its first cell; `outcome` says what it was read as, or why it was left out. */
export type CardRow = { row: number; given: string; isRead: boolean; outcome: string };

type Price = { currency: string; amount: string };

/** A market's price of a category from a day on, and the one that it took the place of; null for none. */
export type CardChange = { market: string; category: string; from: string; before: Price | null; after: Price | null };

/** What a list changed of the prices before it: as many as are shown of all that changed, and how many stayed the same. */
export type CardChanges = { shown: CardChange[]; changed: number; same: number };

/** A workspace's prices of messages, as an owner or operator uploaded them, and its budget for a month. */
export const rateCards = pgTable("rate_cards", {
  workspaceId: id()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  uploadedAt: instant().notNull().defaultNow(),
  /** What became of the rows of the last file: those that were left out first, as many as are shown. */
  rows: jsonb().$type<CardRow[]>(),
  /** What the last list changed; null for the first one. */
  changes: jsonb().$type<CardChanges>(),
  /** For the messages of a calendar month of the workspace's time zone; null without a budget. */
  budget: numeric({ precision: 18, scale: 2 }),
  budgetCurrency: text(),
});

/** The prices of a card. A region's row stands once for each of its countries. */
export const rates = pgTable(
  "rates",
  {
    workspaceId: id().references(() => rateCards.workspaceId, { onDelete: "cascade" }),
    /** ISO code, or `*` for countries without a price of their own. */
    country: text().notNull(),
    category: text().notNull(),
    /** Whether it is the price of a region, which gives way to one of the country. */
    isRegional: boolean().notNull(),
    /** First day of the workspace's time zone. */
    validFrom: date().notNull(),
    /** The first day of the card that took its place; null while none has. */
    validUntil: date(),
    price: numeric({ precision: 18, scale: 8 }).notNull(),
    currency: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.country, table.category, table.isRegional, table.validFrom] }),
  ],
);

export type Rate = typeof rates.$inferSelect;
