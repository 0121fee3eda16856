import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, createdAt } from "../columns";

/** Signed webhooks, or parts of them, that nothing here could use: kept for 7 days so that nothing is lost unseen. */
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

/** What happened at the webhook's door: WhatsApp's verification, and bodies that were refused. Kept for 7 days. */
export const webhookNotices = pgTable(
  "webhook_notices",
  {
    id: text().primaryKey(),
    at: createdAt(),
    kind: text({ enum: ["verified", "verificationRefused", "signatureRefused", "unknownNumber"] }).notNull(),
    /** Why it was refused, in words for an owner; no secret, no token. */
    reason: text().notNull().default(""),
    bodyDigest: text(),
    /** The number that the body claims to be about; it is not proven. */
    whatsappPhoneNumberId: text(),
  },
  (table) => [
    index("webhook_notices_at").on(table.at),
    index("webhook_notices_number").on(table.whatsappPhoneNumberId, table.at),
  ],
);
