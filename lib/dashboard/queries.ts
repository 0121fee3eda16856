import { and, asc, count, desc, eq, sql } from "drizzle-orm";
import { type Db, onDatabase } from "@/db/client";
import { apiKeys, messages, phoneNumbers, statusEvents, templates, usage } from "@/db/schema";
import type { WorkspaceId } from "@/lib/workspaces/workspace-id";
import type { PageCursor } from "./page-cursor";

// Each read names its columns: access tokens and secret hashes never leave the database for a page.

const MESSAGES_PER_PAGE = 50;
const LATEST_MESSAGES = 5;

/** `month` is the first day of a calendar month (UTC), such as 2026-01-01. */
export const getOverview = (workspaceId: WorkspaceId, month: string) =>
  onDatabase(async (db) => {
    const [[monthly], [lines], [approved], latestMessages] = await Promise.all([
      db
        .select({ used: usage.used })
        .from(usage)
        .where(and(eq(usage.workspaceId, workspaceId), eq(usage.month, month))),
      db
        .select({ count: count() })
        .from(phoneNumbers)
        .where(and(eq(phoneNumbers.workspaceId, workspaceId), phoneNumbers.isActive)),
      db
        .select({ count: count() })
        .from(templates)
        .where(and(eq(templates.workspaceId, workspaceId), eq(templates.status, "APPROVED"))),
      selectMessages(db)
        .where(eq(messages.workspaceId, workspaceId))
        .orderBy(desc(messages.createdAt), desc(messages.id))
        .limit(LATEST_MESSAGES),
    ]);
    return {
      used: monthly?.used ?? 0,
      activeLines: lines?.count ?? 0,
      approvedTemplates: approved?.count ?? 0,
      latestMessages,
    };
  });

export type MessageSummary = Awaited<ReturnType<typeof getOverview>>["latestMessages"][number];

/** A page of the log, newest first: the one that follows `older`, or that precedes `newer`, or the first. */
export const listMessages = async (
  workspaceId: WorkspaceId,
  { older, newer }: { older?: PageCursor | undefined; newer?: PageCursor | undefined },
) => {
  const place = sql`(${messages.createdAt}, ${messages.id})`;
  if (newer && !older) {
    const found = await onDatabase((db) =>
      selectMessages(db)
        .where(and(eq(messages.workspaceId, workspaceId), sql`${place} > ${placeOf(newer)}`))
        .orderBy(asc(messages.createdAt), asc(messages.id))
        .limit(MESSAGES_PER_PAGE + 1),
    );
    // Fewer than a page of newer rows means that the first page is due, whole.
    if (found.length > MESSAGES_PER_PAGE) {
      return { messages: found.slice(0, MESSAGES_PER_PAGE).reverse(), hasNewer: true, hasOlder: true };
    }
  }
  const found = await onDatabase((db) =>
    selectMessages(db)
      .where(and(eq(messages.workspaceId, workspaceId), older ? sql`${place} < ${placeOf(older)}` : undefined))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(MESSAGES_PER_PAGE + 1),
  );
  return {
    messages: found.slice(0, MESSAGES_PER_PAGE),
    hasNewer: Boolean(older),
    hasOlder: found.length > MESSAGES_PER_PAGE,
  };
};

export const findMessageWithEvents = (workspaceId: WorkspaceId, messageId: string) =>
  onDatabase(async (db) => {
    const [[message], events] = await Promise.all([
      db
        .select({
          id: messages.id,
          mode: messages.mode,
          type: messages.type,
          status: messages.status,
          phone: messages.phone,
          contactId: messages.contactId,
          templateName: messages.templateName,
          templateLanguage: messages.templateLanguage,
          requestId: messages.requestId,
          idempotencyKey: messages.idempotencyKey,
          whatsappMessageId: messages.whatsappMessageId,
          whatsappMessageStatus: messages.whatsappMessageStatus,
          failureReason: messages.failureReason,
          failureCode: messages.failureCode,
          createdAt: messages.createdAt,
          sentAt: messages.sentAt,
          deliveredAt: messages.deliveredAt,
          readAt: messages.readAt,
          line: { id: phoneNumbers.id, label: phoneNumbers.label },
          apiKeyLabel: apiKeys.label,
        })
        .from(messages)
        .innerJoin(phoneNumbers, ownLine)
        .leftJoin(apiKeys, and(eq(apiKeys.workspaceId, messages.workspaceId), eq(apiKeys.id, messages.apiKeyId)))
        .where(and(eq(messages.workspaceId, workspaceId), eq(messages.id, messageId))),
      db
        .select({
          id: statusEvents.id,
          status: statusEvents.status,
          failureCode: statusEvents.failureCode,
          failureReason: statusEvents.failureReason,
          occurredAt: statusEvents.occurredAt,
          receivedAt: statusEvents.receivedAt,
        })
        .from(statusEvents)
        .where(and(eq(statusEvents.workspaceId, workspaceId), eq(statusEvents.messageId, messageId)))
        .orderBy(asc(statusEvents.receivedAt), asc(statusEvents.id)),
    ]);
    return message && { ...message, events };
  });

const ownLine = and(eq(phoneNumbers.workspaceId, messages.workspaceId), eq(phoneNumbers.id, messages.phoneNumberId));

const selectMessages = (db: Db) =>
  db
    .select({
      id: messages.id,
      createdAt: messages.createdAt,
      phone: messages.phone,
      mode: messages.mode,
      type: messages.type,
      templateName: messages.templateName,
      templateLanguage: messages.templateLanguage,
      status: messages.status,
      failureReason: messages.failureReason,
      line: { id: phoneNumbers.id, label: phoneNumbers.label },
    })
    .from(messages)
    .innerJoin(phoneNumbers, ownLine);

const placeOf = ({ createdAt, id }: PageCursor) => sql`(${createdAt.toISOString()}::timestamptz, ${id})`;
