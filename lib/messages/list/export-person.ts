import { and, asc, inArray } from "drizzle-orm";
import type { Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { messages, webhookDeliveries } from "@/db/schema";
import { findContact, idsOfContact } from "@/lib/contacts/queries";
import { contactNotFound } from "@/lib/contacts/recipient-queries";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { SHOWN_FIELDS } from "@/lib/messages/columns";
import { type Author, audited } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";

/** More than a person is sent in years: the file is built in memory. */
const MOST_MESSAGES = 20_000;
const TIMEOUT_MS = 20_000;

/**
 * Returns all that is stored about a person: names, messages with their contents, and what they wrote, oldest first. Records the
 * access. Throws NOT_FOUND, also for an erased person. Does not check permissions: the caller must.
 */
export async function exportPerson(workspaceId: WorkspaceId, contactId: string, by: Author) {
  const contact = await findContact(workspaceId, contactId);
  if (!contact || contact.erasedAt) throw contactNotFound(contactId);
  const ids = await idsOfContact(workspaceId, contactId);
  const { rows: sent, events } = await audited(
    workspaceId,
    by,
    async (tx, record) => {
      const rows = await readMessages(tx, workspaceId, ids);
      const events = await readEvents(tx, workspaceId, ids);
      if (rows.length > MOST_MESSAGES || events.length > MOST_MESSAGES) throw tooMany();
      await record("contact.exported", contact.id, { before: null, after: { messages: rows.length } });
      return { rows, events };
    },
    { pool: "records", timeoutMs: TIMEOUT_MS },
  );
  const { id, name, phone, whatsappUserId, names, lastInboundAt, createdAt } = contact;
  return {
    exportedAt: new Date(),
    contact: {
      id,
      name,
      phone,
      whatsappUserId,
      knownNames: names,
      lastWroteAt: lastInboundAt,
      stoppedMarketingAt: contact.marketingOptedOutAt,
      stoppedTestMarketingAt: contact.testMarketingOptedOutAt,
      createdAt,
    },
    events,
    messages: sent.map(({ request, whatsappMessageId: _, idempotencyKey: __, ...message }) => ({
      ...message,
      content: request === null ? null : (JSON.parse(request) as unknown),
    })),
  };
}

const readMessages = (tx: Transaction, workspaceId: WorkspaceId, contactIds: string[]) =>
  tx
    .select({
      ...columnsOf(messages, ...SHOWN_FIELDS, "mode", "phoneNumberId", "phone", "type"),
      ...columnsOf(messages, "templateName", "templateLanguage", "request"),
    })
    .from(messages)
    .where(and(rowsOf(messages, workspaceId), inArray(messages.contactId, contactIds)))
    .orderBy(asc(messages.createdAt), asc(messages.id))
    .limit(MOST_MESSAGES + 1);

/** What they wrote and their changes of number, as stored for endpoints: once for each. */
const readEvents = (tx: Transaction, workspaceId: WorkspaceId, contactIds: string[]) =>
  tx
    .selectDistinctOn([webhookDeliveries.occurredAt, webhookDeliveries.type, webhookDeliveries.snapshot], {
      type: webhookDeliveries.type,
      at: webhookDeliveries.occurredAt,
      data: webhookDeliveries.snapshot,
    })
    .from(webhookDeliveries)
    .where(and(rowsOf(webhookDeliveries, workspaceId), inArray(webhookDeliveries.subjectId, contactIds)))
    .orderBy(asc(webhookDeliveries.occurredAt), asc(webhookDeliveries.type), asc(webhookDeliveries.snapshot))
    .limit(MOST_MESSAGES + 1);

const tooMany = () =>
  new AppError(
    "PAYLOAD_TOO_LARGE",
    `This person has more than ${MOST_MESSAGES} messages. Ask the operator to export them.`,
  );
