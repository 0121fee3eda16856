import { index, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt } from "../columns";

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
