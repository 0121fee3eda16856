import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, instant } from "../columns";
import { mode, workspaces } from "./identity";

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
