import { sql } from "drizzle-orm";
import { index, pgTable, text } from "drizzle-orm/pg-core";
import { bytes, createdAt } from "../columns";

/** Written and read by the release before only, which may still run during an upgrade. The next release drops it. */
export const unhandledWebhooks = pgTable(
  "unhandled_webhooks",
  {
    id: text().primaryKey(),
    kind: text().notNull().default("earlier"),
    reason: text().notNull(),
    field: text(),
    whatsappBusinessAccountId: text(),
    whatsappPhoneNumberId: text(),
    body: bytes().notNull(),
    receivedAt: createdAt(),
  },
  (table) => [
    index("unhandled_webhooks_received").on(table.receivedAt),
    index("unhandled_webhooks_number").on(table.whatsappPhoneNumberId, table.kind, table.receivedAt.desc().nullsLast()),
    index("unhandled_webhooks_account")
      .on(table.whatsappBusinessAccountId, table.kind, table.receivedAt.desc().nullsLast())
      .where(sql`whatsapp_phone_number_id is null`),
    index("unhandled_webhooks_unknown_number")
      .on(table.whatsappBusinessAccountId, table.receivedAt.desc().nullsLast())
      .where(sql`kind = 'notConnected' and whatsapp_phone_number_id is not null`),
  ],
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
