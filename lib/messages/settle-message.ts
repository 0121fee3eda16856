import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { DatabaseUnavailable, onDatabase, prepared } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { type Message, messages } from "@/db/schema";
import { learnNumberOnce } from "@/lib/contacts/learn-recipients";
import { Budget } from "@/lib/core/budget";
import { Deadline } from "@/lib/core/deadline";
import { eventsWritten } from "@/lib/core/events-written";
import { errorFields, log } from "@/lib/core/log";
import { ERASED_PHONE } from "@/lib/core/phone";
import { processWide } from "@/lib/core/process-wide";
import { REMOVED_REASON } from "@/lib/core/retention";
import { retry } from "@/lib/core/retry";
import type { WorkspaceId } from "@/lib/core/workspace-id";
import type { Owned } from "./claim-message";
import { closeAnsweredSessions } from "./close-answered-sessions";
import { findMessage } from "./queries";

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

const WRITE_ATTEMPTS = 3;
/** What one attempt may take while the database does not answer; all of it, as WhatsApp has answered already. */
const ATTEMPT_MS = 2_500;
/** Less where the caller must have an answer sooner, but enough for a database that is well. */
const LEAST_ATTEMPT_MS = 300;
/** Attempts after the answer, until the database is back; then every last of these. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;
const LATEST_ATTEMPTS = 50;
/** Statements end themselves after 2.2 s (db/pooler.ts). */
const STATEMENT_MAY_RUN_MS = 5_000;
/** As many as a process can have had under way when its database became unavailable; the sweeper settles the rest. */
const MOST_WAITING = 1_000;

/**
 * Writes the outcome and returns the row as it is then; a webhook may have moved it on already. The write
 * is a join guarded by the fencing token, so repeating it after a lost acknowledgement is harmless. Throws
 * DatabaseUnavailable where it cannot be written by the deadline: a webhook or the sweeper settles the row then.
 */
export async function settleMessage(
  workspaceId: WorkspaceId,
  claim: Owned,
  { outcome, deadline }: { outcome: Outcome; deadline: Deadline },
): Promise<Message> {
  const settle = async (): Promise<Message> => {
    const timeoutMs = Math.max(LEAST_ATTEMPT_MS, Math.min(ATTEMPT_MS, deadline.leftMs));
    const message =
      (await writeOutcome(workspaceId, claim, { outcome, timeoutMs })) ??
      (await findMessage(workspaceId, claim.messageId, { timeoutMs }));
    if (!message) throw new Error("a claimed message has its row");
    eventsWritten();
    if (outcome.kind === "accepted" && outcome.opensFlowSession) await openFlowSession(workspaceId, message.id);
    if (outcome.kind === "accepted") await learnNumber(workspaceId, message, outcome.waId);
    return message;
  };
  return retry(settle, { attempts: WRITE_ATTEMPTS, isWorth: isUnavailable, deadline, leastMs: ATTEMPT_MS });
}

const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable;

/**
 * The same, and never in vain: what could not be written by the deadline is written as soon as the database is back, while
 * this process lives. Undefined then. Without it a message that never left would end as UNKNOWN. Never throws.
 */
export async function settleForSure(
  workspaceId: WorkspaceId,
  claim: Owned,
  { outcome, deadline }: { outcome: Outcome; deadline: Deadline },
): Promise<Message | undefined> {
  const { messageId } = claim;
  try {
    return await settleMessage(workspaceId, claim, { outcome, deadline });
  } catch (error) {
    log("error", "message.outcome-not-written", { messageId, outcome: outcome.kind, ...errorFields(error) });
    if (error instanceof DatabaseUnavailable) void settleLater(workspaceId, claim, outcome);
    return undefined;
  }
}

/**
 * Gives back what a claim may have bound whose answer was lost, and for which WhatsApp was not called: the same key
 * sends it again. Tried until the database says so, or that there is no such row and no statement that may still make
 * it. Another request may own the row under the same token, if it was faster; so the row must name this one. Never throws.
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

const settleLater = (workspaceId: WorkspaceId, claim: Owned, outcome: Outcome): Promise<void> =>
  writeLater(claim, outcome.kind, async () => {
    await settleMessage(workspaceId, claim, { outcome, deadline: Deadline.in(ATTEMPT_MS) });
    return true;
  });

/** Neither written nor in vain: it is asked again. */
class NotYet extends Error {}

const unsettled = processWide("unsettled", () => new Budget({ inAll: MOST_WAITING }));

/** Repeats `write` while the database is unavailable, or until it returns true. Never throws. */
const writeLater = async ({ messageId }: Owned, outcome: string, write: () => Promise<boolean>): Promise<void> => {
  const refusal = () => new DatabaseUnavailable("too many outcomes wait");
  const pauseMs = (made: number) => PAUSES_MS[Math.min(made, PAUSES_MS.length) - 1] ?? 0;
  const isWorth = (error: unknown) => isUnavailable(error) || error instanceof NotYet;
  const attempt = async () => {
    if (!(await write())) throw new NotYet("The claim's statement may still run.");
  };
  try {
    await unsettled.run(
      "",
      async () => {
        await sleep(pauseMs(1), undefined, { ref: false });
        await retry(attempt, { attempts: LATEST_ATTEMPTS, isWorth, pauseMs: (made) => pauseMs(made + 1) });
      },
      { waitMs: 0, refusal },
    );
    log("info", "message.outcome-written-late", { messageId, outcome });
  } catch (error) {
    log("warn", "message.left-to-sweeper", { messageId, ...errorFields(error) });
  }
};

/** The row where the write changed it; undefined where it must be read. */
const writeOutcome = async (
  workspaceId: WorkspaceId,
  claim: Owned,
  { outcome, timeoutMs }: { outcome: Outcome; timeoutMs: number },
): Promise<Message | undefined> => {
  switch (outcome.kind) {
    case "accepted": {
      const { whatsappMessageId, whatsappMessageStatus } = outcome;
      const row = { workspaceId, ...claim, whatsappMessageId, whatsappMessageStatus };
      const [message] = await onDatabase((db) => accept(db).execute(row), { timeoutMs });
      return message;
    }
    case "refused":
      await refuse(workspaceId, claim, { ...outcome, timeoutMs });
      return undefined;
    case "unknown": {
      const row = { workspaceId, ...claim };
      const [message] = await onDatabase((db) => leaveUnknown(db).execute(row), { timeoutMs });
      return message;
    }
    default:
      return outcome satisfies never;
  }
};

const claimed = sql`${messages.workspaceId} = ${sql.placeholder("workspaceId")}
  and ${messages.id} = ${sql.placeholder("messageId")}
  and ${messages.fencingToken} = ${sql.placeholder("fencingToken")}`;

// A slow owner may come after the sweeper (UNKNOWN) or after the webhook (SENT): what it knows is still true.
const accept = prepared((db) =>
  db
    .update(messages)
    .set({
      phase: "SENT",
      status: sql`greatest(${messages.status}, 'SENT')`,
      whatsappMessageId: sql`${sql.placeholder("whatsappMessageId")}`,
      whatsappMessageStatus: sql`${sql.placeholder("whatsappMessageStatus")}`,
      sentAt: sql`greatest(${messages.createdAt}, least(${messages.sentAt}, now()))`,
      updatedAt: sql`now()`,
    })
    .where(sql`${claimed} and ${messages.phase} in ('DISPATCHING', 'UNKNOWN', 'SENT')`)
    .returning()
    .prepare("accept_message"),
);

const leaveUnknown = prepared((db) =>
  db
    .update(messages)
    .set({ phase: "UNKNOWN", status: sql`greatest(${messages.status}, 'UNKNOWN')`, updatedAt: sql`now()` })
    .where(sql`${claimed} and ${messages.phase} = 'DISPATCHING'`)
    .returning()
    .prepare("leave_message_unknown"),
);

type Refusing = Extract<Outcome, { kind: "refused" }> & { requestId?: string; timeoutMs: number };

/** A definite refusal gives the plan unit back, once, in the same statement; of a row that names `requestId`, if given. */
const refuse = (
  workspaceId: WorkspaceId,
  { messageId, fencingToken }: Owned,
  { isRetryable, reason, code, traceId, requestId, timeoutMs }: Refusing,
) =>
  onSql(
    (sql) => sql`
      with previous as (
        select unit_month from messages
        where workspace_id = ${workspaceId} and id = ${messageId} and fencing_token = ${fencingToken}
          and phase in ('ACCEPTED', 'DISPATCHING', 'UNKNOWN')
          and request_id is not distinct from coalesce(${requestId ?? null}, request_id)
        for update
      ), refund as (
        update usage set used = used - 1 from previous
        where workspace_id = ${workspaceId} and month = previous.unit_month and message_limit is not null
      )
      update messages set
        phase = ${isRetryable ? "REFUSED_RETRYABLE" : "REFUSED"}, status = 'FAILED',
        failure_reason = case when contents_removed_at is null then ${reason} else ${REMOVED_REASON} end,
        failure_code = ${code}, failure_trace_id = ${traceId}, failed_at = now(), unit_month = null, updated_at = now()
      from previous
      where workspace_id = ${workspaceId} and id = ${messageId} and fencing_token = ${fencingToken}`,
    { timeoutMs },
  );

/**
 * The message is sent whether or not its session can be opened, so a failure here must not make it unknown. A session
 * bears its message's id: it opens once, whether this or a webhook was the first to prove the message sent. Its reply may
 * have come already.
 */
const openFlowSession = async (workspaceId: WorkspaceId, messageId: string): Promise<void> => {
  try {
    await onSql(
      (sql) => sql`
        insert into flow_sessions (workspace_id, id, contact_id, phone_number_id, message_id)
        select m.workspace_id, 'fs_' || substr(m.id, 5), coalesce(c.merged_into, c.id), m.phone_number_id, m.id
        from messages m join contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
        where m.workspace_id = ${workspaceId} and m.id = ${messageId}
        on conflict (workspace_id, id) do nothing`,
    );
    await closeAnsweredSessions(workspaceId);
  } catch (error) {
    log("warn", "flow-session.not-opened", { messageId, ...errorFields(error) });
  }
};

/** WhatsApp may know the recipient under another number. Its webhooks say so, too, so a failure here loses nothing. */
const learnNumber = async (
  workspaceId: WorkspaceId,
  { id, contactId, phone, createdAt }: Message,
  waId: string | null,
): Promise<void> => {
  if (waId === null || waId === phone || phone === ERASED_PHONE) return;
  try {
    await learnNumberOnce({ workspaceId, contactId, sentTo: phone, waId, since: createdAt });
  } catch (error) {
    log("warn", "contact.number-not-learned", { messageId: id, ...errorFields(error) });
  }
};
