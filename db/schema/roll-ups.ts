import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  date,
  foreignKey,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import { id, instant, withinWorkspace } from "../columns";
import { apiKeys } from "./api-keys";
import { mode, workspaces } from "./identity";
import { messageStatus, messageType } from "./messages";
import { phoneNumbers } from "./phone-numbers";

// Counts by hour or 15 minutes (named by their start), so that no chart scans the raw rows. Empty text means
// "none", because primary key columns cannot be null.

const workspaceId = () => id().references(() => workspaces.id, { onDelete: "cascade" });
const hour = () => instant().notNull();
/** Whose counts, and from when. Those of 15 minutes keep the name `hour`, which the previous release writes. */
const counted = (unit: "hour" | "day") => ({
  workspaceId: workspaceId(),
  mode: mode().notNull(),
  startsAt: timestamp(unit, { withTimezone: true, precision: 3 }).notNull(),
});
const count = () => integer().notNull();
/** The key of a table of counts: every other column, in their order. */
const allButCount = ({ count: _, delivered: __, ...columns }: Record<string, AnyPgColumn>) =>
  Object.values(columns) as [AnyPgColumn, ...AnyPgColumn[]];

const messageCounts = (name: "message_hours" | "message_days", unit: "hour" | "day") =>
  pgTable(
    name,
    {
      ...counted(unit),
      status: messageStatus().notNull(),
      failureCode: integer().notNull().default(0),
      phoneNumberId: id(),
      apiKeyId: id(),
      type: messageType().notNull(),
      templateName: text().notNull(),
      templateLanguage: text().notNull(),
      count: count(),
    },
    (table) => [primaryKey({ name: `${name}_key`, columns: allButCount(table) })],
  );

/** Messages created per hour in the workspace's time zone, by current status. */
export const messageHours = messageCounts("message_hours", "hour");

export type MessageCounts = typeof messageHours;

/** The same per day in that time zone. A day has about as many rows as an hour, so charts and totals read this table. */
export const messageDays = messageCounts("message_days", "day");

const pricedCounts = (name: "priced_hours" | "priced_days", unit: "hour" | "day") =>
  pgTable(
    name,
    {
      ...counted(unit),
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
    },
    (table) => [primaryKey({ name: `${name}_key`, columns: allButCount(table) })],
  );

/** Messages with WhatsApp's pricing, per hour of their creation in the workspace's time zone. */
export const pricedHours = pricedCounts("priced_hours", "hour");

/** The same per day in that time zone. */
export const pricedDays = pricedCounts("priced_days", "day");

/** Written and read by the release before only, which may still run during an upgrade. The next release drops it. */
export const outcomeHours = pgTable(
  "outcome_hours",
  {
    workspaceId: workspaceId(),
    mode: mode().notNull(),
    hour: hour(),
    status: messageStatus().notNull(),
    failureCode: integer().notNull().default(0),
    phoneNumberId: id(),
    apiKeyId: id(),
    count: count(),
  },
  (table) => [primaryKey({ name: "outcome_hours_key", columns: allButCount(table) })],
);

/** Partner API calls per 15 minutes, which align with days in every time zone; old rows are per UTC hour. */
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
 * Durations: `ours` and `platform` of sends, by 15 minutes as above; `delivery` from sent to delivered, by hours
 * of the workspace's own clock.
 */
export const durationHours = pgTable(
  "duration_hours",
  {
    ...counted("hour"),
    kind: text({ enum: ["ours", "platform", "delivery"] }).notNull(),
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

/** Used by the previous release only, which may still run during an upgrade. The next release drops it. */
export const usageShares = pgTable(
  "usage_shares",
  {
    workspaceId: id(),
    month: date().notNull(),
    slot: smallint().notNull(),
    unitsLeft: integer().notNull(),
    messageLimit: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.month, table.slot] }),
    foreignKey({
      columns: [table.workspaceId, table.month],
      foreignColumns: [usage.workspaceId, usage.month],
    }).onDelete("cascade"),
    check("usage_shares_left", sql`${table.unitsLeft} >= 0`),
  ],
);

/** The rows of `rollUpMarks`: up to when messages are counted by hour and day, and when unfinished messages were last settled. */
export const MARKS = { counted: "priced-days", swept: "sweep" } as const;
