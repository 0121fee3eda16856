import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { onSql, readInstant } from "@/db/raw-sql";
import { type Mode, type PhoneNumber, phoneNumbers } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Notice } from "./notices";

/** Every connected line of a workspace, live and test, oldest first. */
export function listPhoneNumbers(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(SHOWN)
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.workspaceId, workspaceId), isNull(phoneNumbers.disconnectedAt)))
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id)),
  );
}

/** The connected lines of a mode with their sealed tokens: for who sends through them. */
export function listSendingLines(workspaceId: WorkspaceId, mode: Mode): Promise<PhoneNumber[]> {
  return onDatabase((db) =>
    db
      .select()
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.workspaceId, workspaceId),
          eq(phoneNumbers.mode, mode),
          isNull(phoneNumbers.disconnectedAt),
        ),
      )
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id)),
  );
}

/** The lines that a send could go out on, without their tokens. */
export function listActiveLines(workspaceId: WorkspaceId, mode: Mode) {
  return onDatabase((db) =>
    db
      .select({
        id: phoneNumbers.id,
        label: phoneNumbers.label,
        displayPhoneNumber: phoneNumbers.displayPhoneNumber,
        whatsappBusinessAccountId: phoneNumbers.whatsappBusinessAccountId,
      })
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.workspaceId, workspaceId),
          eq(phoneNumbers.mode, mode),
          phoneNumbers.isActive,
          isNull(phoneNumbers.disconnectedAt),
        ),
      )
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id)),
  );
}

/** What pages may show of a line: all but the token, which never leaves the database for a page. */
const SHOWN = {
  id: phoneNumbers.id,
  label: phoneNumbers.label,
  mode: phoneNumbers.mode,
  displayPhoneNumber: phoneNumbers.displayPhoneNumber,
  verifiedName: phoneNumbers.verifiedName,
  whatsappPhoneNumberId: phoneNumbers.whatsappPhoneNumberId,
  whatsappBusinessAccountId: phoneNumbers.whatsappBusinessAccountId,
  isActive: phoneNumbers.isActive,
  isDefault: phoneNumbers.isDefault,
  qualityRating: phoneNumbers.qualityRating,
  throughput: phoneNumbers.throughput,
  messagingLimit: phoneNumbers.messagingLimit,
  tokenCheckedAt: phoneNumbers.tokenCheckedAt,
  tokenExpiresAt: phoneNumbers.tokenExpiresAt,
  tokenProblem: phoneNumbers.tokenProblem,
  subscribedAt: phoneNumbers.subscribedAt,
  lastWebhookAt: phoneNumbers.lastWebhookAt,
  disconnectedAt: phoneNumbers.disconnectedAt,
  createdAt: phoneNumbers.createdAt,
};

/** With what WhatsApp last reported of the number and its account, the latest first. */
const SHOWN_WITH_NOTICES = {
  ...SHOWN,
  // Written out, because drizzle drops the tables' names in the columns of a select from one table.
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

/** Every line there ever was, those that work first and disconnected ones last. */
export function listLines(workspaceId: WorkspaceId) {
  return onDatabase((db) =>
    db
      .select(SHOWN_WITH_NOTICES)
      .from(phoneNumbers)
      .where(eq(phoneNumbers.workspaceId, workspaceId))
      .orderBy(
        sql`${phoneNumbers.disconnectedAt} is not null`,
        desc(phoneNumbers.isActive),
        desc(phoneNumbers.isDefault),
        asc(phoneNumbers.label),
        asc(phoneNumbers.id),
      ),
  );
}

export type ShownLine = Awaited<ReturnType<typeof listPhoneNumbers>>[number];
export type LineWithNotices = Awaited<ReturnType<typeof listLines>>[number];

export async function findLine(workspaceId: WorkspaceId, phoneNumberId: string): Promise<LineWithNotices | undefined> {
  const [line] = await onDatabase((db) =>
    db
      .select(SHOWN_WITH_NOTICES)
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.id, phoneNumberId))),
  );
  return line;
}

/** A connected line with its sealed token. Throws NOT_FOUND for one that is another's, disconnected or not there. */
export async function getConnectedLine(workspaceId: WorkspaceId, phoneNumberId: string): Promise<PhoneNumber> {
  const [line] = await onDatabase((db) =>
    db.select().from(phoneNumbers).where(isConnectedLine(workspaceId, phoneNumberId)),
  );
  if (!line) throw noSuchLine();
  return line;
}

/** The line that a write is about. */
export function isConnectedLine(workspaceId: WorkspaceId, phoneNumberId: string) {
  return and(
    eq(phoneNumbers.workspaceId, workspaceId),
    eq(phoneNumbers.id, phoneNumberId),
    isNull(phoneNumbers.disconnectedAt),
  );
}

export function noSuchLine() {
  return new AppError("NOT_FOUND", "No such line is connected in this workspace.");
}

/** The business account of the workspace's test lines: a further one shares its templates. */
export async function findTestAccount(workspaceId: WorkspaceId): Promise<string | undefined> {
  const [line] = await onDatabase((db) =>
    db
      .select({ whatsappBusinessAccountId: phoneNumbers.whatsappBusinessAccountId })
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.workspaceId, workspaceId), eq(phoneNumbers.mode, "test")))
      .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id))
      .limit(1),
  );
  return line?.whatsappBusinessAccountId;
}

/** What a line sent in the last seven days: messages by status, and its failures by WhatsApp's code, most first. */
export async function getLineUsage(workspaceId: WorkspaceId, { id, mode }: { id: string; mode: Mode }) {
  const rows = await onSql(
    (sql) => sql<{ status: string; failure_code: number; count: number }[]>`
      select status, failure_code, sum(count)::int as count from outcome_hours
      where workspace_id = ${workspaceId} and mode = ${mode} and hour > now() - interval '7 days'
        and phone_number_id = ${id}
      group by status, failure_code order by 3 desc`,
  );
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const failures = rows.flatMap(({ status, failure_code: code, count }) =>
    status === "FAILED" ? [{ code: code === 0 ? null : code, count }] : [],
  );
  return { total, failed: failures.reduce((sum, { count }) => sum + count, 0), failures };
}
