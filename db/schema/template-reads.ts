import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { workspaces } from "./identity";

/** The queue of template lists to read from WhatsApp: one row for each business account of a workspace's live lines. */
export const templateReads = pgTable(
  "template_reads",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    whatsappBusinessAccountId: text().notNull(),
    /** When the whole list is due. */
    dueAt: instant().notNull(),
    /** Set while a webhook or a person waits for a read; `askedName` limits it to one template name. */
    askedAt: instant(),
    askedName: text(),
    /** When webhooks reported statuses of templates that were not stored yet, by `name/language/status`. */
    reported: jsonb().$type<Record<string, string>>(),
    /** No read starts before this: a minute after the last one, longer after failures. */
    notBefore: instant().notNull(),
    /** When the last read started, which also names that read: a reader that lost its claim finds another time here. */
    startedAt: instant(),
    /** Set during a read. Once it has passed, the reader is gone and another takes over. */
    claimedUntil: instant(),
    /** Failures in a row. */
    failures: integer().notNull().default(0),
    lastError: text(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.whatsappBusinessAccountId] }),
    index("template_reads_due").on(table.dueAt),
    index("template_reads_asked").on(table.askedAt),
  ],
);
