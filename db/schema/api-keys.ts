import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { KeyRights } from "@/lib/core/principal";
import { bytes, createdAt, id, instant } from "../columns";
import { mode, workspaces } from "./identity";

export const apiKeys = pgTable(
  "api_keys",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    /** Set on trial keys only: the user who tries the API on the reference page with this key. */
    trialOf: text(),
    label: text().notNull(),
    mode: mode().notNull(),
    /** The public half, `pk_live_…` or `pk_test_…`. */
    apiKey: text().notNull(),
    /** HMAC-SHA256 of the secret under the pepper: compared, never read back. */
    secretHash: bytes().notNull(),
    /** The previous secret; works until the overlap ends, so callers can switch without downtime. */
    previousSecretHash: bytes(),
    previousSecretEndsAt: instant(),
    /** When the secret was last rotated; null if it never was. */
    secretMadeAt: instant(),
    lastUsedAt: instant(),
    expiresAt: instant(),
    /** Null: all rights. */
    limits: jsonb().$type<KeyRights>(),
    revokedAt: instant(),
    /** Users; null if an operator's command did it. */
    createdBy: text(),
    revokedBy: text(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("api_keys_api_key").on(table.apiKey),
    uniqueIndex("api_keys_ref").on(table.workspaceId, table.ref),
    uniqueIndex("api_keys_trial").on(table.trialOf, table.workspaceId),
  ],
);
export type ApiKey = typeof apiKeys.$inferSelect;

/** Fixed windows of the rate limits, unless Upstash is configured. Unlogged: a crash loses one window at most. */
export const rateWindows = pgTable("rate_windows", {
  id: text().primaryKey(),
  bucket: bigint({ mode: "number" }).notNull(),
  used: integer().notNull(),
});

/** Every partner API call with a key of the workspace, including refused ones. Written outside the path of a send. */
export const apiRequests = pgTable(
  "api_requests",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    /** The `X-Request-Id` of the answer. */
    id: id(),
    at: instant().notNull(),
    mode: mode().notNull(),
    /** The key that the call named; its secret may have been wrong. */
    apiKeyId: text().notNull(),
    operation: text({ enum: ["send", "status", "templates", "other"] }).notNull(),
    method: text().notNull(),
    path: text().notNull(),
    status: integer().notNull(),
    errorCode: text(),
    /** The caller's own X-Request-Id. */
    clientRequestId: text(),
    idempotencyKey: text(),
    isReplay: boolean().notNull().default(false),
    messageId: text(),
    ip: text().notNull(),
    userAgent: text(),
    /** Duration of the whole request, and of the call to WhatsApp within it. */
    durationMs: integer().notNull(),
    platformMs: integer(),
    /** Without values: phones masked, texts replaced by their length. Null where none was sent, and once removed. */
    body: text(),
    /** The response body of a refused call, phones masked. */
    answer: text(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index("api_requests_at").on(table.workspaceId, table.at, table.id),
    index("api_requests_idempotency_key")
      .on(table.workspaceId, table.idempotencyKey)
      .where(sql`${table.idempotencyKey} is not null`),
    index("api_requests_message").on(table.workspaceId, table.messageId).where(sql`${table.messageId} is not null`),
  ],
);

export type ApiRequest = typeof apiRequests.$inferSelect;
