import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { apiKeys, contacts, messages, phoneNumbers } from "@/db/schema";
import { SHOWN_FIELDS } from "./columns";
import { BEFORE_WORDS, firstWords, READ_CHARACTERS } from "./first-words";

const ownLine = and(eq(phoneNumbers.workspaceId, messages.workspaceId), eq(phoneNumbers.id, messages.phoneNumberId));
const ownKey = and(eq(apiKeys.workspaceId, messages.workspaceId), eq(apiKeys.id, messages.apiKeyId));

/** The columns that `storedPricing` reads. */
export const PRICING = columnsOf(
  messages,
  "pricingBillable",
  "pricingType",
  "pricingCategory",
  "pricingModel",
  "pricedAt",
);

// An explicit list, so that lists never read access tokens, secret hashes or whole contents.
const SUMMARY = {
  ...columnsOf(messages, ...SHOWN_FIELDS, "phone", "mode", "type", "templateName", "templateLanguage"),
  ...columnsOf(messages, "failureCode", "requestId", "recipientCountry"),
  ...PRICING,
  line: columnsOf(phoneNumbers, "id", "label"),
  key: columnsOf(apiKeys, "id", "label", "apiKey"),
};

const DETAILS = {
  ...SUMMARY,
  ...columnsOf(messages, "phase", "attempt", "contactId", "whatsappMessageStatus", "failureTraceId"),
  ...columnsOf(messages, "dispatchedAt", "failedAt"),
  hasRequest: sql<boolean>`${messages.request} is not null`,
};

// The name is on the contact that others were merged into. Without names Postgres leaves both joins out.
const sentTo = alias(contacts, "sent_to");
const known = alias(contacts, "known");
const remaining = sql`coalesce(${sentTo.mergedInto}, ${sentTo.id})`;

/** What a list shows beside the record: people's names, and, to those who may see contents, the first words. */
export type Shows = { names?: boolean; words?: boolean };

/** The columns of a list, to be narrowed. */
export function selectMessages(db: Db, { names = false, words = false }: Shows = {}) {
  return db
    .select({
      ...SUMMARY,
      contactName: names ? sql<string | null>`${known.name}` : ABSENT,
      words: words ? WORDS : ABSENT,
    })
    .from(messages)
    .innerJoin(phoneNumbers, ownLine)
    .leftJoin(apiKeys, ownKey)
    .leftJoin(sentTo, and(eq(sentTo.workspaceId, messages.workspaceId), eq(sentTo.id, messages.contactId)))
    .leftJoin(known, and(eq(known.workspaceId, messages.workspaceId), eq(known.id, remaining)));
}

const ABSENT = sql<string | null>`null`;

const after = (words: string): SQL =>
  sql`substr(${messages.request}, nullif(strpos(${messages.request}, ${words}), 0) + ${words.length}::int, ${READ_CHARACTERS}::int)`;

const WORDS = sql<string | null>`case ${messages.type}
  when 'text' then ${after(BEFORE_WORDS.text)}
  when 'interactive' then ${after(BEFORE_WORDS.interactive)} end`.mapWith(firstWords);

/** The same for one message, with what only its own page shows. */
export function selectMessage(db: Db) {
  return db.select(DETAILS).from(messages).innerJoin(phoneNumbers, ownLine).leftJoin(apiKeys, ownKey);
}

export type MessageSummary = Awaited<ReturnType<typeof selectMessages>>[number];
