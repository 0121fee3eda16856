import { sql } from "drizzle-orm";
import {
  boolean,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Mode } from "@/lib/core/principal";
import { bytes, createdAt, id, instant } from "../columns";

export const role = pgEnum("role", ["owner", "admin", "member"]);
export const mode = pgEnum("mode", ["live", "test"] as const satisfies Mode[]);

export const workspaces = pgTable(
  "workspaces",
  {
    id: text().primaryKey(),
    /** The workspace's `ref` in the provisioning file. */
    ref: text(),
    name: text().notNull(),
    plan: text({ enum: ["free", "starter", "growth", "unlimited"] }).notNull(),
    /** The workspace's own monthly limit; null means the plan's. */
    messageLimit: integer(),
    timeZone: text().notNull().default("UTC"),
    /** Whose local days the sums by day are: the time zone and the version of the zone data, `Europe/Berlin 2026c`. */
    daysCountedBy: text(),
    /** After how many days the contents of messages are removed; null means MESSAGE_RETENTION_DAYS. */
    retentionDays: integer(),
    /** Words by which a person stops marketing, or allows it again: in lower case, without spaces around them. */
    stopWords: jsonb().$type<string[]>().notNull().default([]),
    startWords: jsonb().$type<string[]>().notNull().default([]),
    /** Whether marketing templates to those who stopped it are refused before WhatsApp is called. */
    refuseOptedOut: boolean().notNull().default(false),
    /** Whether its members must set up a second factor before they can open it. */
    requiresSecondFactor: boolean().notNull().default(false),
    /** Messages created before this have no contents any more: the next purge starts here. */
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
    /** The secret that an authenticator app shares, encrypted. With one a sign-in takes a code, too. */
    factorSecret: text(),
    /** The time step of the last code that was used: neither it nor an earlier one works again. */
    factorStep: integer().notNull().default(0),
    /** SHA-256 of the recovery codes that are left. */
    recoveryHashes: text().array().notNull().default([]),
    /**
     * False if only the person claimed it: an external identity must not open a stranger's account, and a
     * provisioning file must not give it a workspace while it keeps its password.
     */
    isEmailVouched: boolean().notNull().default(true),
    /** When the person showed that the mail to this address reaches them. Alerts go to no other address. */
    emailConfirmedAt: instant(),
    /** When the last mail with alerts was sent: the next ones wait, and become one. */
    alertsMailedAt: instant(),
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
    /** The groups of alerts that this member receives by e-mail; null means those of the role. */
    mailedAlerts: json().$type<string[]>(),
    /** Alerts until then do not count at the bell. */
    alertsSeenAt: instant(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export type Workspace = typeof workspaces.$inferSelect;
export type User = typeof users.$inferSelect;
export type Role = (typeof role.enumValues)[number];

/** One row for each signed-in browser. The session cookie holds the id; deleting the row ends the session. */
export const sessions = pgTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: id().references(() => users.id, { onDelete: "cascade" }),
    signedInAt: instant().notNull().defaultNow(),
    expiresAt: instant().notNull(),
    /** Set once the password was right and until when the code must follow: for all else such a session has ended. */
    codeUntil: instant(),
    /** When the user last started a change; for 30 s their lists are read from the primary. */
    actedAt: instant().notNull().defaultNow(),
    /** Browser and system, such as "Firefox on Linux": never the whole User-Agent. */
    device: text().notNull(),
    /** The client address without its last part, such as "203.0.113.x". */
    maskedAddress: text().notNull(),
  },
  (table) => [index("sessions_user").on(table.userId)],
);

export type Session = typeof sessions.$inferSelect;

/** Password reset link, one per account. Using it deletes the row. */
export const passwordResets = pgTable(
  "password_resets",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** SHA-256 of the token in the link: the link itself is shown once and not stored. */
    tokenHash: bytes().notNull(),
    /** The workspace whose owner created the link, and that owner. Both are null if the operator created it. */
    workspaceId: text(),
    madeBy: text(),
    /** Whether it was sent to the account's address alone: its use shows that mail arrives there. */
    isMailed: boolean().notNull().default(false),
    expiresAt: instant().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("password_resets_token").on(table.tokenHash),
    // An owner's link goes when the owner or the member leaves the workspace.
    foreignKey({
      name: "password_resets_member",
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }).onDelete("cascade"),
    foreignKey({
      name: "password_resets_maker",
      columns: [table.workspaceId, table.madeBy],
      foreignColumns: [members.workspaceId, members.userId],
    }).onDelete("cascade"),
  ],
);

/** A link that lets anyone with it join once, until it expires or is revoked. */
export const invitations = pgTable(
  "invitations",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    /** SHA-256 of the token in the link: the link itself is shown once and never stored. */
    tokenHash: bytes().notNull(),
    /** Only an account with this (unverified) address may accept it. Null: any account. */
    email: text(),
    /** Whether the link was sent to that address alone. */
    isMailed: boolean().notNull().default(false),
    role: role().notNull(),
    invitedBy: text().notNull(),
    expiresAt: instant().notNull(),
    acceptedAt: instant(),
    acceptedBy: text(),
    revokedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("invitations_token").on(table.tokenHash),
    // An invitation goes with the member who made it.
    foreignKey({
      columns: [table.workspaceId, table.invitedBy],
      foreignColumns: [members.workspaceId, members.userId],
    }).onDelete("cascade"),
  ],
);

export type Invitation = typeof invitations.$inferSelect;

/** Who changed what: one row per changed thing, written in the transaction of the change. Holds no secret, no recipient. */
export const auditLog = pgTable(
  "audit_log",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    actorKind: text({ enum: ["user", "provisioner", "command", "platform"] }).notNull(),
    /** A user's id, the name of the program, or WhatsApp. */
    actorId: text().notNull(),
    action: text().notNull(),
    targetKind: text().notNull(),
    targetId: text().notNull(),
    /** Only the changed fields; null if the object did not exist before, or no longer exists. */
    before: json().$type<Record<string, unknown>>(),
    after: json().$type<Record<string, unknown>>(),
    requestId: text(),
    at: instant().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index("audit_log_at").on(table.workspaceId, table.at, table.id),
  ],
);

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
