import { setTimeout as sleep } from "node:timers/promises";
import { toSnakeCase } from "drizzle-orm/casing";
import type { Sql } from "postgres";
import { DatabaseUnavailable } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import type { Message } from "@/db/schema";
import { closedBy } from "@/db/schema/messages";
import { storeRecipientNumber } from "@/lib/contacts/learn-recipients";
import { Budget } from "@/lib/core/budget";
import { Deadline, retry } from "@/lib/core/deadline";
import { queued } from "@/lib/core/due-work";
import { errorFields, log } from "@/lib/core/log";
import { ERASED_PHONE, REMOVED_REASON } from "@/lib/core/phone";
import type { WorkspaceId } from "@/lib/core/principal";
import { SHOWN_FIELDS, valuesReader } from "@/lib/messages/columns";
import { findMessage } from "@/lib/messages/queries";
import type { Owned } from "./claim-message";

/** How a claimed message ended. A refusal is definite: nothing reached the recipient. */
export type Outcome =
  | {
      kind: "accepted";
      whatsappMessageId: string;
      whatsappMessageStatus: string | null;
      waId: string | null;
      opensFlowSession: boolean;
    }
  | { kind: "refused"; isRetryable: boolean; reason: string; code: number | null; traceId: string | null }
  | { kind: "unknown" };

/** What a send returns; a row has four times as many columns, and the contents. */
const SETTLED = [...SHOWN_FIELDS, "contactId", "phone", "fencingToken"] as const;
const COLUMNS = SETTLED.map((field) => toSnakeCase(field)).join(", ");
const readSettled = valuesReader(SETTLED);

export type SettledMessage = Pick<Message, (typeof SETTLED)[number]>;

const WRITE_ATTEMPTS = 3;
/** Time-out of one attempt while the database does not respond. */
const ATTEMPT_MS = 2_500;
/** Used if the caller's deadline is near; enough for a healthy database. */
const MIN_ATTEMPT_MS = 300;
/** Pauses between background attempts; the last one repeats. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;
const MAX_BACKGROUND_ATTEMPTS = 50;
/** Statements time out after 2.2 s (db/connect.ts). */
const STATEMENT_MAY_RUN_MS = 5_000;
/** The most sends that a process can have in flight when its database fails; the sweeper settles the rest. */
const MAX_WAITING = 1_000;

/**
 * Writes the outcome and returns the row as it is then; a webhook may have moved it on already. Returns undefined if it
 * cannot be written by the deadline; a background retry then writes it. Otherwise an unsent message would end as UNKNOWN.
 * Never throws.
 */
export async function settleMessage(
  workspaceId: WorkspaceId,
  claim: Owned,
  { outcome, deadline }: { outcome: Outcome; deadline: Deadline },
): Promise<SettledMessage | undefined> {
  const { messageId } = claim;
  try {
    return await retry(() => settle(workspaceId, claim, { outcome, deadline }), {
      attempts: WRITE_ATTEMPTS,
      retryIf: isUnavailable,
      deadline,
      minRemainingMs: ATTEMPT_MS,
    });
  } catch (error) {
    log("error", "message.outcome-not-written", { messageId, outcome: outcome.kind, ...errorFields(error) });
    const again = async () => {
      await settle(workspaceId, claim, { outcome, deadline: Deadline.in(ATTEMPT_MS) });
      return true;
    };
    if (isUnavailable(error)) void writeLater(claim, outcome.kind, again);
    return undefined;
  }
}

/**
 * One attempt. The write is a join guarded by the fencing token, so repeating it after a lost acknowledgement is harmless.
 */
async function settle(
  workspaceId: WorkspaceId,
  claim: Owned,
  { outcome, deadline }: { outcome: Outcome; deadline: Deadline },
): Promise<SettledMessage> {
  const timeoutMs = Math.max(MIN_ATTEMPT_MS, Math.min(ATTEMPT_MS, deadline.leftMs));
  const message =
    (await writeOutcome(workspaceId, claim, { outcome, timeoutMs })) ??
    (await findMessage(workspaceId, claim.messageId, { timeoutMs }));
  if (!message) throw new Error("a claimed message has its row");
  queued("deliveries");
  if (outcome.kind === "accepted" && outcome.opensFlowSession) await openFlowSession(workspaceId, message.id);
  if (outcome.kind === "accepted") await learnNumber(workspaceId, message, outcome.waId);
  return message;
}

const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;

/**
 * Releases a claim whose response was lost and for which WhatsApp was not called, so that the same key
 * can send it again. Retries until the row is released, or until there is no row and no statement could still create
 * it. A faster request may own the row with the same token, so `requestId` must match. Never throws.
 */
export function releaseLostClaim(workspaceId: WorkspaceId, owned: Owned, requestId: string): Promise<void> {
  const lostAtMs = performance.now();
  const reason = "The database was unavailable before the message was sent. Nothing was sent.";
  const outcome = { kind: "refused", isRetryable: true, reason, code: null, traceId: null } as const;
  return writeLater(owned, outcome.kind, async () => {
    const { count } = await refuse(workspaceId, owned, { ...outcome, requestId, timeoutMs: ATTEMPT_MS });
    return count > 0 || performance.now() - lostAtMs > STATEMENT_MAY_RUN_MS;
  });
}

/** Not settled yet: try again. */
class NotSettledYet extends Error {}

const unsettled = new Budget({ inAll: MAX_WAITING });

/** Repeats `write` until it returns true, at most 50 times, also while the database is unavailable. Never throws. */
async function writeLater({ messageId }: Owned, outcome: string, write: () => Promise<boolean>): Promise<void> {
  const refusal = () => new DatabaseUnavailable("too many outcomes wait");
  const pauseMs = (made: number) => PAUSES_MS[Math.min(made, PAUSES_MS.length) - 1] ?? 0;
  const retryIf = (error: unknown) => isUnavailable(error) || error instanceof NotSettledYet;
  const attempt = async () => {
    if (!(await write())) throw new NotSettledYet("The claim's statement may still run.");
  };
  try {
    await unsettled.run(
      "",
      async () => {
        await sleep(pauseMs(1), undefined, { ref: false });
        await retry(attempt, { attempts: MAX_BACKGROUND_ATTEMPTS, retryIf, pauseMs: (made) => pauseMs(made + 1) });
      },
      { waitMs: 0, refusal },
    );
    log("info", "message.outcome-written-late", { messageId, outcome });
  } catch (error) {
    log("warn", "message.left-to-sweeper", { messageId, ...errorFields(error) });
  }
}

/**
 * Returns the row if the write changed it; undefined if it must be read. A slow owner may write after the sweeper
 * (UNKNOWN) or a webhook (SENT): that it was accepted is still valid then.
 */
async function writeOutcome(
  workspaceId: WorkspaceId,
  claim: Owned,
  { outcome, timeoutMs }: { outcome: Outcome; timeoutMs: number },
): Promise<SettledMessage | undefined> {
  if (outcome.kind === "refused") {
    await refuse(workspaceId, claim, { ...outcome, timeoutMs });
    return undefined;
  }
  const [row] = await onSql(
    (sql) =>
      sql`
      update messages set ${outcome.kind === "accepted" ? accepted(sql, outcome) : unknown(sql)}, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${claim.messageId} and fencing_token = ${claim.fencingToken}
        and phase in ${outcome.kind === "accepted" ? sql`('DISPATCHING', 'UNKNOWN', 'SENT')` : sql`('DISPATCHING')`}
      returning ${sql.unsafe(COLUMNS)}`.values(),
    { timeoutMs },
  );
  return row && readSettled(row);
}

const accepted = (sql: Sql, outcome: Extract<Outcome, { kind: "accepted" }>) =>
  sql`phase = 'SENT', status = greatest(status, 'SENT'), whatsapp_message_id = ${outcome.whatsappMessageId},
        whatsapp_message_status = ${outcome.whatsappMessageStatus}, sent_at = greatest(created_at, least(sent_at, now()))`;

const unknown = (sql: Sql) => sql`phase = 'UNKNOWN', status = greatest(status, 'UNKNOWN')`;

type Refusing = Extract<Outcome, { kind: "refused" }> & { requestId?: string; timeoutMs: number };

/** Records a definite refusal and refunds its units once, in one statement. `requestId`, if given, must match. */
const refuse = (
  workspaceId: WorkspaceId,
  { messageId, fencingToken }: Owned,
  { isRetryable, reason, code, traceId, requestId, timeoutMs }: Refusing,
) =>
  onSql(
    (sql) => sql`
      with previous as (
        select unit_month, api_key_id, key_unit_month from messages
        where workspace_id = ${workspaceId} and id = ${messageId} and fencing_token = ${fencingToken}
          and phase in ('ACCEPTED', 'DISPATCHING', 'UNKNOWN')
          ${requestId === undefined ? sql`` : sql`and request_id = ${requestId}`}
        for update
      ), refund as (
        update usage set used = used - 1 from previous
        where workspace_id = ${workspaceId} and month = previous.unit_month and message_limit is not null
        returning used
      ), key_refund as (
        -- Reads the other refund to run after it, as claims take their units in this order.
        update key_usage u set used = u.used - 1 from previous
        where u.workspace_id = ${workspaceId} and u.api_key_id = previous.api_key_id and u.month = previous.key_unit_month
          and (select count(*) from refund) >= 0
      )
      update messages set
        phase = ${isRetryable ? "REFUSED_RETRYABLE" : "REFUSED"}, status = 'FAILED',
        failure_reason = case when contents_removed_at is null then ${reason} else ${REMOVED_REASON} end,
        failure_code = ${code}, failure_trace_id = ${traceId}, failed_at = now(), unit_month = null, key_unit_month = null,
        updated_at = now()
      from previous
      where workspace_id = ${workspaceId} and id = ${messageId} and fencing_token = ${fencingToken}`,
    { timeoutMs },
  );

/**
 * The message is sent whether or not its session can be opened, so a failure here must not make it unknown. A session
 * has its message's id, so it opens once, whether this or a webhook first proves the send. Its reply may
 * already have arrived.
 */
async function openFlowSession(workspaceId: WorkspaceId, messageId: string): Promise<void> {
  try {
    await onSql(
      (sql) => sql`
        insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id)
        select ${workspaceId}, 'fs_' || substr(m.id, 5), coalesce(c.merged_into, c.id), m.phone_number_id, m.id
        from messages m join contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
        where m.workspace_id = ${workspaceId} and m.id = ${messageId}
        on conflict (workspace_id, id) do nothing`,
    );
    await closeAnsweredSessions(workspaceId);
  } catch (error) {
    log("warn", "flow-session.not-opened", { messageId, ...errorFields(error) });
  }
}

/** Stores the recipient's number as WhatsApp knows it. Webhooks report it, too, so a failure here is harmless. */
async function learnNumber(
  workspaceId: WorkspaceId,
  { id, contactId, phone, createdAt }: SettledMessage,
  waId: string | null,
): Promise<void> {
  if (waId === null || waId === phone || phone === ERASED_PHONE) return;
  try {
    await storeRecipientNumber({ workspaceId, contactId, sentTo: phone, waId, since: createdAt });
  } catch (error) {
    log("warn", "contact.number-not-learned", { messageId: id, ...errorFields(error) });
  }
}

/**
 * Closes flow sessions whose reply came before their message was known by WhatsApp's id: of one workspace, or of all.
 * Returns how many.
 */
export async function closeAnsweredSessions(workspaceId?: WorkspaceId): Promise<number> {
  const closed = await onSql(
    (sql) => sql`
      with answered as (
        select s.workspace_id, s.id from flow_replies r
        join messages m on m.workspace_id = r.workspace_id and m.phone_number_id = r.phone_number_id
          and m.whatsapp_message_id = r.whatsapp_message_id
        join flow_sessions s on s.workspace_id = m.workspace_id and s.id = 'fs_' || substr(m.id, 5)
        where ${workspaceId === undefined ? sql`` : sql`r.workspace_id = ${workspaceId} and`} s.closed_at is null
        order by s.workspace_id, s.id for no key update of s skip locked
      )
      update flow_sessions s set ${closedBy(sql, "reply")} from answered
      where ${workspaceId === undefined ? sql`` : sql`s.workspace_id = ${workspaceId} and`}
        s.workspace_id = answered.workspace_id and s.id = answered.id
      returning s.id`,
    { pool: workspaceId === undefined ? "webhooks" : "requests" },
  );
  return closed.length;
}
