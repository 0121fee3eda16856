import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "../columns";
import { users, workspaces } from "./identity";

/**
 * What a server does later or again: lists of templates to read, mails to send, deleted workspaces to empty. `db/jobs.ts` claims
 * and ends them. Deliveries to partners have a queue of their own, which keeps the order of a message's events.
 */
export const jobs = pgTable(
  "jobs",
  {
    kind: text({ enum: ["templates", "mail", "alertMail", "deletion"] }).notNull(),
    /** Unique in its kind: what is queued twice is done once. */
    id: text().notNull(),
    /** The workspace or person that it is for. Only one attempt of a cause is under way, so a flood of one delays no other. */
    cause: text().notNull(),
    workspaceId: text().references(() => workspaces.id, { onDelete: "cascade" }),
    userId: text().references(() => users.id, { onDelete: "cascade" }),
    /** As its kind declares it; a mail's has its address. */
    payload: jsonb().$type<object>().notNull().default({}),
    dueAt: instant().notNull().defaultNow(),
    /** Not begun after this, and then removed. */
    expiresAt: instant(),
    /** When the last attempt began, which identifies it: a server that lost its lease finds another time here. */
    startedAt: instant(),
    /** Set during an attempt. Once it has passed, the server is considered dead and another takes over. */
    leasedUntil: instant(),
    /** Begun since the last success. */
    attempts: integer().notNull().default(0),
    /** Why the last attempt failed: no secret, no address. */
    lastError: text(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id] }),
    index("jobs_due").on(table.kind, table.dueAt),
    index("jobs_workspace").on(table.workspaceId),
    index("jobs_user").on(table.userId),
  ],
);

export type JobKind = (typeof jobs.$inferSelect)["kind"];
