import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, createdAt } from "../columns";

/** Unmatched webhooks, or parts of them: kept for 7 days so that nothing is lost unnoticed. */
export const unhandledWebhooks = pgTable(
  "unhandled_webhooks",
  {
    id: text().primaryKey(),
    reason: text().notNull(),
    body: bytes().notNull(),
    receivedAt: createdAt(),
  },
  (table) => [index("unhandled_webhooks_received").on(table.receivedAt)],
);

/** Verifications by WhatsApp, and refused webhooks. Kept for 7 days. */
export const webhookNotices = pgTable(
  "webhook_notices",
  {
    id: text().primaryKey(),
    at: createdAt(),
    kind: text({ enum: ["verified", "verificationRefused", "signatureRefused", "unknownNumber"] }).notNull(),
    /** Why it was refused, worded for an owner; contains no secret or token. */
    reason: text().notNull().default(""),
    bodyDigest: text(),
    /** The number that the body claims to be about; not verified. */
    whatsappPhoneNumberId: text(),
  },
  (table) => [
    index("webhook_notices_at").on(table.at),
    index("webhook_notices_number").on(table.whatsappPhoneNumberId, table.at),
  ],
);
