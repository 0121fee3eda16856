import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { users, workspaces } from "./identity";

/** What owners were alerted to: one row from when it was seen until it is over. Holds no secret, no recipient. */
export const alerts = pgTable(
  "alerts",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    /** See lib/workspaces/alert-kinds.ts. */
    kind: text().notNull(),
    /** The line, template, key, endpoint, session or workspace that it is about. */
    subjectId: text().notNull(),
    /** Tells apart alerts of one kind about one subject, such as WhatsApp's notices about a line; empty otherwise. */
    topic: text().notNull().default(""),
    /** Rises while it gets worse, such as 80, 90 and 100 % of a quota; each rise is announced. */
    level: integer().notNull(),
    tone: text({ enum: ["bad", "caution"] }).notNull(),
    /** As it was announced. */
    sentence: text().notNull(),
    /** The page where it can be fixed, and the words of the link. */
    href: text().notNull(),
    action: text().notNull(),
    /** Set for what concerns one person alone, such as a sign-in. */
    userId: text().references(() => users.id, { onDelete: "cascade" }),
    openedAt: instant().notNull().defaultNow(),
    closedAt: instant(),
    /** How often it was announced: opened, worse, over. */
    eventCount: integer().notNull().default(1),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("alerts_open")
      .on(table.workspaceId, table.kind, table.subjectId, table.topic)
      .where(sql`${table.closedAt} is null`),
    index("alerts_opened").on(table.workspaceId, table.openedAt, table.id),
    index("alerts_user").on(table.userId).where(sql`${table.userId} is not null`),
  ],
);

export type Alert = typeof alerts.$inferSelect;
