import { pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, createdAt, id, instant } from "../columns";
import { mode, workspaces } from "./identity";

export const apiKeys = pgTable(
  "api_keys",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    /** The user who tries the API on its reference page with this key; null for every other key. */
    trialOf: text(),
    label: text().notNull(),
    mode: mode().notNull(),
    /** The public half, `pk_live_…` or `pk_test_…`. */
    apiKey: text().notNull(),
    /** HMAC-SHA256 of the secret under the pepper: compared, never read back. */
    secretHash: bytes().notNull(),
    /** The secret before the last rotation; it works until its end, so that callers can change over without a pause. */
    previousSecretHash: bytes(),
    previousSecretEndsAt: instant(),
    /** When the last rotation made the secret; null while it is the one that the key was made with. */
    secretMadeAt: instant(),
    lastUsedAt: instant(),
    expiresAt: instant(),
    revokedAt: instant(),
    /** Users; null where an operator's program did it. */
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
