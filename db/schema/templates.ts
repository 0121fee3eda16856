import { index, integer, json, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
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
    /** WhatsApp's word; only APPROVED can be sent. */
    status: text().notNull(),
    parameterFormat: text().notNull().default("POSITIONAL"),
    /** As WhatsApp lists them; `json`, because `jsonb` would reorder keys. */
    components: json().$type<unknown[]>().notNull(),
    qualityScore: text(),
    rejectedReason: text(),
    /** WhatsApp's time of the status, or of the sync that found it changed; null where the change was not seen. */
    statusChangedAt: instant(),
    /** WhatsApp's times of the last events about the other parts; null until there is one. */
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

/** What makes a template another one for WhatsApp, too: the columns of the unique index. */
export const TEMPLATE_NAME = [
  templates.workspaceId,
  templates.mode,
  templates.whatsappBusinessAccountId,
  templates.name,
  templates.language,
];

export type Template = typeof templates.$inferSelect;
