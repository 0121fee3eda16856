import { boolean, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, id, instant, updatedAt } from "../columns";
import { mode, workspaces } from "./identity";

export const phoneNumbers = pgTable(
  "phone_numbers",
  {
    workspaceId: id().references(() => workspaces.id, { onDelete: "cascade" }),
    id: id(),
    ref: text(),
    label: text().notNull(),
    mode: mode().notNull(),
    displayPhoneNumber: text().notNull(),
    verifiedName: text(),
    whatsappPhoneNumberId: text().notNull(),
    whatsappBusinessAccountId: text().notNull(),
    /** Encrypted (AES-256-GCM, key id in front, bound to this row). */
    accessToken: text().notNull(),
    isActive: boolean().notNull().default(true),
    isDefault: boolean().notNull().default(false),
    qualityRating: text(),
    lastWebhookAt: instant(),
    /** WhatsApp's throughput level and daily messaging limit of the number. */
    throughput: text(),
    messagingLimit: text(),
    tokenCheckedAt: instant(),
    /** Null if the token never expires, or was not checked yet. */
    tokenExpiresAt: instant(),
    /** What WhatsApp said when it refused the token; null while it is accepted. */
    tokenProblem: text(),
    /** When WhatsApp last confirmed that it sends this account's webhooks to our app. */
    subscribedAt: instant(),
    /** A disconnected line keeps its messages and webhooks, but cannot send. */
    disconnectedAt: instant(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    uniqueIndex("phone_numbers_ref").on(table.workspaceId, table.ref),
    uniqueIndex("phone_numbers_whatsapp").on(table.workspaceId, table.mode, table.whatsappPhoneNumberId),
    // Webhooks have only WhatsApp's ids, and find the workspaces through them.
    index("phone_numbers_webhook").on(table.whatsappPhoneNumberId),
    index("phone_numbers_business_account").on(table.whatsappBusinessAccountId),
  ],
);

export type PhoneNumber = typeof phoneNumbers.$inferSelect;
