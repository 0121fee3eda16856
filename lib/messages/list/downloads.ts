import type { Role } from "@/db/schema/identity";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import { type Cell, csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/principal";
import type { MessageSummary } from "@/lib/messages/message-summary";
import { SERIES, toBars } from "@/lib/messages/usage/status-series";
import { listStatusCounts } from "@/lib/messages/usage/usage-queries";
import type { UsageScope } from "@/lib/messages/usage/usage-range";
import { can } from "@/lib/workspaces/roles";

/** Returns the CSV columns that `role` may see. */
export function csvHeading(role: Role): string[] {
  return columnsFor(role).map(([heading]) => heading);
}

/** What only other folders know of a message. */
type Charge = Record<(typeof CHARGES)[number], string | null>;

/** `chargesOf` returns what is charged for each message of a page. */
export async function* csvRows(
  pages: AsyncIterable<MessageSummary[]>,
  role: Role,
  chargesOf: (page: MessageSummary[]) => Promise<Charge[]>,
): AsyncGenerator<Cell[][]> {
  const columns = columnsFor(role);
  for await (const page of pages) {
    const charges = await chargesOf(page);
    yield page.map((message, at) => columns.map(([, cell]) => cell(message, charges[at])));
  }
}

type Column = [heading: string, cell: (message: MessageSummary, charge?: Charge) => Cell];

const CHARGES = ["country", "category", "price", "currency"] as const;

const columnsFor = (role: Role): Column[] => [
  ["created_at", ({ createdAt }) => createdAt],
  ["message_id", ({ id }) => id],
  // Digits only: spreadsheets read a leading plus as a formula.
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
  ...CHARGES.map((name): Column => [name, (_, charge) => charge?.[name] ?? null]),
  // It holds the recipient's number, encoded.
  ...(can(role, "seeFullRecipient")
    ? [["platform_message_id", ({ whatsappMessageId }) => whatsappMessageId] satisfies Column]
    : []),
];

/** Returns a range's bars as a CSV file, oldest first; an hour is named by its start in UTC. */
export async function usageDownload(workspaceId: WorkspaceId, scope: UsageScope): Promise<Response> {
  const bars = toBars(scope.spans, await listStatusCounts(workspaceId, scope));
  const name = (bucket: string) => (/^\d+$/.test(bucket) ? new Date(Number(bucket)) : bucket);
  const rows = bars.map(({ bucket, counts, total }) => [
    name(bucket),
    ...SERIES.map((series) => counts[series]),
    total,
  ]);
  return csvDownload("usage.csv", ["from", ...SERIES.map((series) => series.toLowerCase()), "all"], [rows]);
}
