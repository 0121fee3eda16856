import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { createdAt, id, instant, withinWorkspace } from "../columns";
import { mode, workspaces } from "./identity";

/** Per workspace and mode. */
export const MAX_ENDPOINTS = 5;
/** `listen` sessions that receive a workspace's test-mode deliveries, beside its endpoints. */
export const MAX_LISTENERS = 3;

/** Where a partner receives events. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    mode: mode().notNull(),
    /** From 1, listeners after endpoints, and unique among those not deleted: the index is the limit. */
    slot: smallint().notNull(),
    /** For Slack only the origin: the whole URL is a credential, and kept in `secret`. */
    url: text().notNull(),
    /** What its requests look like: signed events, or the text that Slack and its like take. */
    format: text({ enum: ["events", "slack"] })
      .notNull()
      .default("events"),
    label: text().notNull(),
    /** JSON, because the driver cannot read arrays without fetching types. */
    events: jsonb().$type<string[]>().notNull(),
    /** Encrypted: every delivery is signed with it. */
    secret: text().notNull(),
    /** The secret before the last rotation; deliveries are signed with both until its end. */
    previousSecret: text(),
    previousSecretEndsAt: instant(),
    pausedAt: instant(),
    /** Paused by a member, by its own 410, or after days of failures. */
    pausedBy: text({ enum: ["member", "gone", "failing"] }),
    /** Time of the first failure since the last success. */
    failingSince: instant(),
    /** Attempts that failed in a row. */
    failures: integer().notNull().default(0),
    /** Recent response time; null before the first. Written only if `needsWrite` in lib/outgoing/record-health.ts. */
    answerMs: integer(),
    /** Nothing is sent before this: the endpoint asked for a wait, or keeps failing. */
    heldUntil: instant(),
    /** For a `listen` session: when it expires unless it polls again. */
    listensUntil: instant(),
    /** Soft-deleted first: a transaction that writes an event may already have read the row. */
    deletedAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("webhook_endpoints_slot")
      .on(table.workspaceId, table.mode, table.slot)
      .where(sql`${table.deletedAt} is null`),
    check("webhook_endpoints_slots", sql`${table.slot} between 1 and ${sql.raw(`${MAX_ENDPOINTS + MAX_LISTENERS}`)}`),
  ],
);

/** PENDING is due at `nextAttemptAt`; FAILED was given up after the last retry. */
export const deliveryState = pgEnum("delivery_state", ["PENDING", "DELIVERED", "FAILED"]);

const inC = (column: AnyPgColumn) => sql`${column} collate "C"`;

/**
 * The outbox: one row per event and endpoint, written by the triggers on `messages` and `templates` in the transaction that
 * changes the status (db/migrations/0016).
 */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    workspaceId: id(),
    /** The `webhook-id` header, the same in every attempt. */
    id: id(),
    endpointId: id(),
    /** Orders the events of one subject. */
    position: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    type: text().notNull(),
    /** The message or template, or the delivery's own id for a test event, which waits for no other. */
    subjectId: text().notNull(),
    /** Counts the subject's events, including those that no endpoint subscribes to. */
    sequence: integer().notNull(),
    /** The subject's mutable columns after the event. */
    snapshot: jsonb().$type<Record<string, string | null>>().notNull(),
    occurredAt: instant().notNull(),
    state: deliveryState().notNull().default("PENDING"),
    attempts: integer().notNull().default(0),
    /** The number of attempts before the last replay; retries are counted from there. */
    replayedAfter: integer().notNull().default(0),
    /** The endpoint refused this event at the last attempt: its retries wait behind other events. */
    isRefused: boolean().notNull().default(false),
    /**
     * The end of the lease while an attempt is under way. `infinity` while an earlier event of its subject is pending: the
     * triggers set and clear it (db/migrations/0044), so that claims do not read waiting events.
     */
    nextAttemptAt: instant().notNull().default(sql`now()`),
    /** Set while an attempt is in progress. */
    leasedUntil: instant(),
    settledAt: instant(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    withinWorkspace(table, table.endpointId, webhookEndpoints).onDelete("cascade"),
    // Those that begin with the workspace, as the key does, have a collation or a predicate of their own. So no statistics can
    // make Postgres take one for another, which would read all that waits. A statement names the claims' by `collate "C"`
    // (lib/outgoing/claim-deliveries.ts).
    index("webhook_deliveries_next")
      .on(table.workspaceId, inC(table.endpointId), table.isRefused, table.nextAttemptAt, table.position)
      .where(sql`${table.state} = 'PENDING' and ${table.nextAttemptAt} < 'infinity'`),
    index("webhook_deliveries_queue")
      .on(table.workspaceId, inC(table.endpointId), inC(table.subjectId), table.position)
      .where(sql`${table.state} = 'PENDING' and ${table.subjectId} is not null`),
    index("webhook_deliveries_about").on(table.subjectId, table.workspaceId),
    index("webhook_deliveries_listed").on(table.endpointId, table.workspaceId, table.createdAt, table.id),
    index("webhook_deliveries_failed")
      .on(table.workspaceId, table.endpointId, table.createdAt, table.id)
      .where(sql`${table.state} = 'FAILED'`),
    // For lists of what waits, and for claims of servers of 0.6; the last condition keeps it from what asks for no time.
    index("webhook_deliveries_pending")
      .on(table.workspaceId, table.endpointId, table.isRefused, table.nextAttemptAt, table.position)
      .where(sql`${table.state} = 'PENDING' and ${table.nextAttemptAt} is not null`),
  ],
);

/** Every attempt of a delivery, with the endpoint's response. */
export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    workspaceId: id(),
    deliveryId: id(),
    number: integer().notNull(),
    startedAt: instant().notNull(),
    durationMs: integer().notNull(),
    /** Status of the response; null if there was none. */
    statusCode: smallint(),
    /** Why there was no response, in words. */
    failure: text(),
    /** Its first 4 KB. */
    response: text(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.deliveryId, table.number] }),
    withinWorkspace(table, table.deliveryId, webhookDeliveries).onDelete("cascade"),
  ],
);

export type EndpointFormat = (typeof webhookEndpoints.format.enumValues)[number];
export type WebhookEndpoint = typeof webhookEndpoints.$inferSelect;
