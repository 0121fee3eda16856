import { and, asc, desc, inArray, isNull, sql } from "drizzle-orm";
import { type Db, onDatabase, type Transaction } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { onSql, readInstant } from "@/db/raw-sql";
import { type PhoneNumber, phoneNumbers, templateReads } from "@/db/schema/business-accounts";
import { AppError } from "@/lib/core/app-error";
import type { Mode, WorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { Notice } from "./notices";

const OLDEST_FIRST = [asc(phoneNumbers.createdAt), asc(phoneNumbers.id)];

/** Every connected line of a workspace, live and test, oldest first. */
export function listConnectedLines(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(SHOWN)
      .from(phoneNumbers)
      .where(rowsOf(phoneNumbers, workspaceId, { disconnectedAt: null }))
      .orderBy(...OLDEST_FIRST),
  );
}

/** Lists the connected lines of a mode with their encrypted tokens, for sending. */
export function listSendingLines(workspaceId: WorkspaceId, mode: Mode): Promise<PhoneNumber[]> {
  return onDatabase((db) =>
    db
      .select()
      .from(phoneNumbers)
      .where(rowsOf(phoneNumbers, workspaceId, { mode, disconnectedAt: null }))
      .orderBy(...OLDEST_FIRST),
  );
}

/** Lists the lines that can send, without their tokens. */
export function listActiveLines(workspaceId: WorkspaceId, mode: Mode) {
  return onDatabase((db) =>
    db
      .select(columnsOf(phoneNumbers, "id", "label", "displayPhoneNumber", "whatsappBusinessAccountId"))
      .from(phoneNumbers)
      .where(rowsOf(phoneNumbers, workspaceId, { mode, isActive: true, disconnectedAt: null }))
      .orderBy(...OLDEST_FIRST),
  );
}

/** The columns that pages may show: all but the token, which is never read for a page. */
const SHOWN = {
  ...columnsOf(phoneNumbers, "id", "label", "mode", "isActive", "isDefault", "createdAt", "disconnectedAt"),
  ...columnsOf(phoneNumbers, "displayPhoneNumber", "whatsappPhoneNumberId", "whatsappBusinessAccountId"),
  ...columnsOf(phoneNumbers, "verifiedName", "qualityRating", "throughput", "messagingLimit"),
  ...columnsOf(phoneNumbers, "tokenCheckedAt", "tokenExpiresAt", "tokenProblem", "subscribedAt", "lastWebhookAt"),
};

/** Adds WhatsApp's latest notices about the number and its account, latest first. */
const SHOWN_WITH_NOTICES = {
  ...SHOWN,
  // Raw SQL, because drizzle omits table names from columns in a single-table select.
  notices: sql`(
    select coalesce(json_agg(json_build_object(
      'kind', n.kind, 'event', n.event, 'detail', n.detail::json, 'occurredAt', n.occurred_at
    ) order by n.occurred_at desc, n.kind), '[]')
    from account_notices n where n.workspace_id = phone_numbers.workspace_id and phone_numbers.mode = 'live'
      and n.whatsapp_business_account_id = phone_numbers.whatsapp_business_account_id
      and n.number in ('', regexp_replace(phone_numbers.display_phone_number, '\\D', '', 'g'))
  )`.mapWith((notices: (Omit<Notice, "occurredAt"> & { occurredAt: string })[]): Notice[] =>
    notices.map((notice) => ({ ...notice, occurredAt: readInstant(notice.occurredAt) })),
  ),
};

/** Lists all lines ever connected, disconnected ones last. */
export function listAllLines(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(SHOWN_WITH_NOTICES)
      .from(phoneNumbers)
      .where(rowsOf(phoneNumbers, workspaceId))
      .orderBy(
        sql`${phoneNumbers.disconnectedAt} is not null`,
        desc(phoneNumbers.isActive),
        desc(phoneNumbers.isDefault),
        asc(phoneNumbers.label),
        asc(phoneNumbers.id),
      ),
  );
}

/** Lists the lines of several workspaces that have not been disconnected. */
export function listLinesOf(tx: Db | Transaction, workspaceIds: readonly WorkspaceId[]) {
  return tx
    .select({ workspaceId: phoneNumbers.workspaceId, ...SHOWN_WITH_NOTICES })
    .from(phoneNumbers)
    .where(and(inArray(phoneNumbers.workspaceId, [...workspaceIds]), isNull(phoneNumbers.disconnectedAt)))
    .orderBy(desc(phoneNumbers.isDefault), asc(phoneNumbers.label), asc(phoneNumbers.id));
}

/** Lists what is known of the business accounts of a workspace's live lines. */
export function listAccounts(workspaceId: WorkspaceId) {
  return onDatabase((db) => listAccountsOf(db, [workspaceId]));
}

/** Lists the accounts of several workspaces. */
export function listAccountsOf(on: Db | Transaction, workspaceIds: readonly WorkspaceId[]) {
  return on
    .select(
      columnsOf(
        templateReads,
        "workspaceId",
        "whatsappBusinessAccountId",
        "portfolioId",
        "portfolioName",
        "peopleBegun",
      ),
    )
    .from(templateReads)
    .where(inArray(templateReads.workspaceId, [...workspaceIds]));
}

export type ShownLine = Awaited<ReturnType<typeof listConnectedLines>>[number];
export type LineWithNotices = Awaited<ReturnType<typeof listAllLines>>[number];

export async function findLine(workspaceId: WorkspaceId, phoneNumberId: string): Promise<LineWithNotices | undefined> {
  const [line] = await onDatabase((db) =>
    db
      .select(SHOWN_WITH_NOTICES)
      .from(phoneNumbers)
      .where(rowsOf(phoneNumbers, workspaceId, { id: phoneNumberId })),
  );
  return line;
}

/** Returns a connected line with its encrypted token. Throws NOT_FOUND if it is foreign, disconnected or unknown. */
export async function getConnectedLine(workspaceId: WorkspaceId, phoneNumberId: string): Promise<PhoneNumber> {
  const [line] = await onDatabase((db) =>
    db.select().from(phoneNumbers).where(isConnectedLine(workspaceId, phoneNumberId)),
  );
  if (!line) throw noSuchLine();
  return line;
}

/** The condition for a write to a connected line. */
export function isConnectedLine(workspaceId: WorkspaceId, phoneNumberId: string) {
  return rowsOf(phoneNumbers, workspaceId, { id: phoneNumberId, disconnectedAt: null });
}

export function noSuchLine() {
  return new AppError("NOT_FOUND", "No such line is connected in this workspace.");
}

/** Returns the business account of the workspace's test lines; further test lines share its templates. */
export async function findTestAccount(tx: Transaction, workspaceId: WorkspaceId): Promise<string | undefined> {
  const [line] = await tx
    .select({ whatsappBusinessAccountId: phoneNumbers.whatsappBusinessAccountId })
    .from(phoneNumbers)
    .where(rowsOf(phoneNumbers, workspaceId, { mode: "test" }))
    .orderBy(...OLDEST_FIRST)
    .limit(1);
  return line?.whatsappBusinessAccountId;
}

/** Returns a line's last seven days: messages by status, and failures by WhatsApp code, most frequent first. */
export async function getLineUsage(workspaceId: WorkspaceId, { id, mode }: { id: string; mode: Mode }) {
  const rows = await onSql(
    (sql) => sql<{ status: string; failure_code: number; count: number }[]>`
      select status, failure_code, sum(count)::int as count from messages_by_day
      where workspace_id = ${workspaceId} and mode = ${mode} and starts_at > now() - interval '7 days'
        and phone_number_id = ${id}
      group by status, failure_code order by 3 desc`,
  );
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const failures = rows.flatMap(({ status, failure_code: code, count }) =>
    status === "FAILED" ? [{ code: code === 0 ? null : code, count }] : [],
  );
  return { total, failed: failures.reduce((sum, { count }) => sum + count, 0), failures };
}
