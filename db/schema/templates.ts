import { index, integer, json, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant, updatedAt } from "../columns";
import { mode, workspaces } from "./identity";

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
