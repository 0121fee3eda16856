import { foreignKey, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { mode, workspaces } from "./identity";
import { messageStatus, messageType } from "./messages";
import { phoneNumbers } from "./phone-numbers";

// Counts by the hour or 15 minutes (named by their start), so that no chart scans what it counts. An empty text stands for
// "none", because a part of a primary key cannot be null.

const workspaceId = () => id().references(() => workspaces.id, { onDelete: "cascade" });
const hour = () => instant().notNull();
/** Of 15 minutes. The column keeps its first name: releases before this one write it while they are replaced. */
const startsAt = () => timestamp("hour", { withTimezone: true, precision: 3 }).notNull();
const count = () => integer().notNull();

/** Messages made in the hour of the workspace's own clock, by where they stand now. */
export const messageHours = pgTable(
  "message_hours",
  {
    workspaceId: workspaceId(),
    mode: mode().notNull(),
    hour: hour(),
    status: messageStatus().notNull(),
    failureCode: integer().notNull().default(0),
    phoneNumberId: id(),
    apiKeyId: id(),
    type: messageType().notNull(),
    templateName: text().notNull(),
    templateLanguage: text().notNull(),
    count: count(),
  },
  (table) => [
    primaryKey({
      name: "message_hours_key",
      columns: [
        table.workspaceId,
        table.mode,
        table.hour,
        table.status,
        table.failureCode,
        table.phoneNumberId,
        table.apiKeyId,
        table.type,
        table.templateName,
        table.templateLanguage,
      ],
    }),
  ],
);

/** The same without what the messages were: of a fifth of its rows, so charts and totals read these. */
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
  (table) => [
    primaryKey({
      name: "outcome_hours_key",
      columns: [
        table.workspaceId,
        table.mode,
        table.hour,
        table.status,
        table.failureCode,
        table.phoneNumberId,
        table.apiKeyId,
      ],
    }),
  ],
);

/** Calls of the partner API, by 15 minutes, which fit the days of every zone; old rows by hours of UTC. */
export const requestHours = pgTable(
  "request_hours",
  {
    workspaceId: workspaceId(),
    mode: mode().notNull(),
    startsAt: startsAt(),
    apiKeyId: id(),
    operation: text().notNull(),
    status: integer().notNull(),
    errorCode: text().notNull(),
    count: count(),
  },
  (table) => [
    primaryKey({
      name: "request_hours_key",
      columns: [
        table.workspaceId,
        table.mode,
        table.startsAt,
        table.apiKeyId,
        table.operation,
        table.status,
        table.errorCode,
      ],
    }),
  ],
);

/**
 * Durations: `ours` and `platform` of sends, by 15 minutes as above; `delivery` from sent to delivered, by hours
 * of the workspace's own clock.
 */
export const durationHours = pgTable(
  "duration_hours",
  {
    workspaceId: workspaceId(),
    mode: mode().notNull(),
    startsAt: startsAt(),
    kind: text({ enum: ["ours", "platform", "delivery"] }).notNull(),
    /** Of a logarithmic scale. */
    bucket: integer().notNull(),
    count: count(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.mode, table.startsAt, table.kind, table.bucket] })],
);

/** What webhooks brought for a line, by the hour of receipt (UTC). The bucket is the lag's, on the same scale. */
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
    foreignKey({
      columns: [table.workspaceId, table.phoneNumberId],
      foreignColumns: [phoneNumbers.workspaceId, phoneNumbers.id],
    }).onDelete("cascade"),
  ],
);

/** How far each roll-up has come: what was received before `until` is counted. */
export const rollUpMarks = pgTable("roll_up_marks", {
  id: text().primaryKey(),
  until: instant().notNull(),
});
