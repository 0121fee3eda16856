import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { apiKeys, messages, phoneNumbers } from "@/db/schema";

const ownLine = and(eq(phoneNumbers.workspaceId, messages.workspaceId), eq(phoneNumbers.id, messages.phoneNumberId));
const ownKey = and(eq(apiKeys.workspaceId, messages.workspaceId), eq(apiKeys.id, messages.apiKeyId));

// An explicit list, so that lists never read access tokens, secret hashes or contents.
const SUMMARY = {
  id: messages.id,
  createdAt: messages.createdAt,
  phone: messages.phone,
  mode: messages.mode,
  type: messages.type,
  templateName: messages.templateName,
  templateLanguage: messages.templateLanguage,
  status: messages.status,
  failureReason: messages.failureReason,
  failureCode: messages.failureCode,
  requestId: messages.requestId,
  idempotencyKey: messages.idempotencyKey,
  whatsappMessageId: messages.whatsappMessageId,
  sentAt: messages.sentAt,
  deliveredAt: messages.deliveredAt,
  readAt: messages.readAt,
  line: { id: phoneNumbers.id, label: phoneNumbers.label },
  key: { id: apiKeys.id, label: apiKeys.label, apiKey: apiKeys.apiKey },
};

const DETAILS = {
  ...SUMMARY,
  phase: messages.phase,
  attempt: messages.attempt,
  contactId: messages.contactId,
  hasRequest: sql<boolean>`${messages.request} is not null`,
  whatsappMessageStatus: messages.whatsappMessageStatus,
  failureTraceId: messages.failureTraceId,
  dispatchedAt: messages.dispatchedAt,
  failedAt: messages.failedAt,
};

/** The columns of a list, to be narrowed. */
export function selectMessages(db: Db) {
  return db.select(SUMMARY).from(messages).innerJoin(phoneNumbers, ownLine).leftJoin(apiKeys, ownKey);
}

/** The same for one message, with what only its own page shows. */
export function selectMessage(db: Db) {
  return db.select(DETAILS).from(messages).innerJoin(phoneNumbers, ownLine).leftJoin(apiKeys, ownKey);
}

export type MessageSummary = Awaited<ReturnType<typeof selectMessages>>[number];
