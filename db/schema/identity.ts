import { boolean, integer, pgEnum, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant } from "../columns";

export const role = pgEnum("role", ["owner", "admin", "member"]);
export const mode = pgEnum("mode", ["live", "test"]);

export const workspaces = pgTable(
  "workspaces",
  {
    id: text().primaryKey(),
    /** The provisioning file's own name of the workspace. */
    ref: text(),
    name: text().notNull(),
    plan: text({ enum: ["free", "starter", "growth", "unlimited"] }).notNull(),
    /** The workspace's own monthly limit; null means the plan's. */
    messageLimit: integer(),
    timeZone: text().notNull().default("UTC"),
    /** After how many days the contents of messages are removed; null means MESSAGE_RETENTION_DAYS. */
    retentionDays: integer(),
    /** No message made before this instant has contents any more: the next purge begins here. */
    contentsPurgedUntil: instant(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("workspaces_ref").on(table.ref)],
);

export const users = pgTable(
  "users",
  {
    id: text().primaryKey(),
    email: text().notNull(),
    name: text().notNull(),
    passwordHash: text(),
    /**
     * False where only the person said so: an identity from elsewhere must not open what a stranger has made, and a
     * provisioning file must not give it a workspace under the password that it has.
     */
    isEmailVouched: boolean().notNull().default(true),
    /** Unused since sessions are rows. Servers of the former release still read it while they are replaced. */
    sessionVersion: integer().notNull().default(1),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("users_email").on(table.email)],
);

export const members = pgTable(
  "members",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    userId: id().references(() => users.id, { onDelete: "cascade" }),
    role: role().notNull(),
    joinedAt: instant().notNull().defaultNow(),
    /** Written every few minutes at most. */
    lastSeenAt: instant(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export type Workspace = typeof workspaces.$inferSelect;
export type User = typeof users.$inferSelect;
export type Role = (typeof role.enumValues)[number];
export type Mode = (typeof mode.enumValues)[number];
