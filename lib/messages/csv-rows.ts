import type { Role } from "@/db/schema/identity";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import type { Cell } from "@/lib/core/csv";
import { can } from "@/lib/workspaces/roles";
import type { MessageSummary } from "./message-summary";

/** What a spreadsheet shows of each message to `role`. */
export function csvHeading(role: Role): string[] {
  return columnsFor(role).map(([heading]) => heading);
}

export async function* csvRows(pages: AsyncIterable<MessageSummary[]>, role: Role): AsyncGenerator<Cell[][]> {
  const columns = columnsFor(role);
  for await (const page of pages) yield page.map((message) => columns.map(([, cell]) => cell(message)));
}

type Column = [heading: string, cell: (message: MessageSummary) => Cell];

const columnsFor = (role: Role): Column[] => [
  ["created_at", ({ createdAt }) => createdAt],
  ["message_id", ({ id }) => id],
  // Digits alone: a plus sign would begin a formula.
  ["recipient", ({ phone }) => shownRecipient(phone, role).replace(/^\+/, "")],
  ["line_id", ({ line }) => line.id],
  ["line", ({ line }) => line.label],
  ["type", ({ type }) => type],
  ["template", ({ templateName }) => templateName],
  ["language", ({ templateLanguage }) => templateLanguage],
  ...(can(role, "seeApiKeys") ? [["api_key", ({ key }) => key?.apiKey ?? null] satisfies Column] : []),
  ["status", ({ status }) => status],
  ["failure_code", ({ failureCode }) => failureCode],
  ["failure_reason", ({ failureReason }) => failureReason && shownReason(failureReason, role)],
  ["sent_at", ({ sentAt }) => sentAt],
  ["delivered_at", ({ deliveredAt }) => deliveredAt],
  ["read_at", ({ readAt }) => readAt],
  ["request_id", ({ requestId }) => requestId],
  ["idempotency_key", ({ idempotencyKey }) => idempotencyKey],
  // It holds the recipient's number, encoded.
  ...(can(role, "seeFullRecipient")
    ? [["platform_message_id", ({ whatsappMessageId }) => whatsappMessageId] satisfies Column]
    : []),
];
