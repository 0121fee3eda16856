import { and, asc, eq, getTableColumns, sql } from "drizzle-orm";
import { onDatabase, prepared } from "@/db/client";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { type KeyLimits, MARKS, type Message, type Mode, messages, statusEvents } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { WorkspaceId } from "@/lib/core/principal";
import { selectMessage } from "./message-summary";

/** Returns the message. Throws NOT_FOUND, also for messages of another workspace, the other mode or lines beyond `limits`. */
export async function getMessage(
  workspaceId: WorkspaceId,
  { mode, limits }: { mode: Mode; limits: KeyLimits },
  messageId: string,
): Promise<MessageStatus> {
  // Postgres rejects text with a NUL, and no id contains one.
  const [message] = messageId.includes("\0")
    ? []
    : await onDatabase((db) => statusById(db).execute({ workspaceId, messageId }));
  if (message?.mode === mode && (limits.phoneNumberIds?.includes(message.phoneNumberId) ?? true)) return message;
  const hint = messageId.startsWith("wamid.")
    ? " Use our id (`data.id` of the send), not WhatsApp's."
    : " Use `data.id` of the send, with a key of the same mode.";
  throw new AppError("NOT_FOUND", `No message "${messageId.slice(0, 80)}" in this workspace.${hint}`, {
    details: { field: "messageId", retryable: false },
  });
}

export async function findMessage(
  workspaceId: WorkspaceId,
  messageId: string,
  options: { timeoutMs?: number } = {},
): Promise<Message | undefined> {
  const [message] = await onDatabase((db) => messageById(db).execute({ workspaceId, messageId }), options);
  return message;
}

export async function findMessageByIdempotencyKey(
  workspaceId: WorkspaceId,
  mode: Mode,
  idempotencyKey: string,
): Promise<Message | undefined> {
  const [message] = await onDatabase((db) => messageByKey(db).execute({ workspaceId, mode, idempotencyKey }));
  return message;
}

/** Returns a message and its WhatsApp events in order of arrival, without secrets and contents. */
export function findMessageWithEvents(workspaceId: WorkspaceId, messageId: string) {
  return onDatabase(async (db) => {
    const [[message], events] = await Promise.all([
      selectMessage(db).where(and(eq(messages.workspaceId, workspaceId), eq(messages.id, messageId))),
      db
        .select({
          id: statusEvents.id,
          status: statusEvents.status,
          failureCode: statusEvents.failureCode,
          failureReason: statusEvents.failureReason,
          occurredAt: statusEvents.occurredAt,
          receivedAt: statusEvents.receivedAt,
          repeats: statusEvents.repeats,
          hasRaw: sql<boolean>`${statusEvents.raw} is not null`,
        })
        .from(statusEvents)
        .where(and(eq(statusEvents.workspaceId, workspaceId), eq(statusEvents.messageId, messageId)))
        .orderBy(asc(statusEvents.receivedAt), asc(statusEvents.occurredAt), asc(statusEvents.id)),
    ]);
    return message && { ...message, events };
  });
}

export type MessageWithEvents = NonNullable<Awaited<ReturnType<typeof findMessageWithEvents>>>;

const isNamed = and(
  eq(messages.workspaceId, sql.placeholder("workspaceId")),
  eq(messages.id, sql.placeholder("messageId")),
);

const messageById = prepared((db) => db.select().from(messages).where(isNamed).prepare("message_by_id"));

/** The contact's id that stays, where it was merged into another. Raw SQL, as drizzle omits the table names. */
const contactId = sql<string>`coalesce((select c.merged_into from contacts c
  where c.workspace_id = ${sql.placeholder("workspaceId")} and c.id = messages.contact_id), messages.contact_id)`;

/** What the API returns of a message; a row has four times as many columns. */
const STATUS_COLUMNS = {
  id: messages.id,
  mode: messages.mode,
  phoneNumberId: messages.phoneNumberId,
  status: messages.status,
  whatsappMessageId: messages.whatsappMessageId,
  failureReason: messages.failureReason,
  sentAt: messages.sentAt,
  deliveredAt: messages.deliveredAt,
  readAt: messages.readAt,
  createdAt: messages.createdAt,
  contactId,
};

export type MessageStatus = Pick<Message, keyof typeof STATUS_COLUMNS>;

const statusById = prepared((db) =>
  db.select(STATUS_COLUMNS).from(messages).where(isNamed).prepare("message_status_by_id"),
);

const messageByKey = prepared((db) =>
  db
    .select({ ...getTableColumns(messages), contactId })
    .from(messages)
    .where(
      and(
        eq(messages.workspaceId, sql.placeholder("workspaceId")),
        eq(messages.mode, sql.placeholder("mode")),
        eq(messages.idempotencyKey, sql.placeholder("idempotencyKey")),
      ),
    )
    .prepare("message_by_key"),
);

/** Seconds since unfinished messages were last settled, by whichever process; null before the first time. */
export async function lastSweepSeconds(
  options: { isProbe?: boolean; timeoutMs?: number } = {},
): Promise<number | null> {
  const [mark] = await onSql(
    (sql) => sql<{ seconds: number }[]>`
      select greatest(0, extract(epoch from now() - until))::float8 as seconds from roll_up_marks where id = ${MARKS.swept}`,
    options,
  );
  return mark?.seconds ?? null;
}

type LostSends = { workspace: string; messages: number; from: Date; until: Date };
type Row = Omit<LostSends, "from" | "until"> & { from: string; until: string };

/**
 * Live messages that WhatsApp has reported since, and that this database does not know: sent after the backup that it was
 * restored from, or by another program on the same line. Incomplete: most lost messages get no further status.
 */
export function listLostSends(since: Date): Promise<LostSends[]> {
  return onSql((sql) =>
    readRows(
      sql<Row[]>`
        select coalesce(w.ref, w.id) as workspace, count(distinct e.whatsapp_message_id)::int as messages,
          min(e.occurred_at) as "from", max(e.occurred_at) as until
        from status_events e join phone_numbers p on p.workspace_id = e.workspace_id and p.id = e.phone_number_id
        join workspaces w on w.id = e.workspace_id
        where e.message_id is null and e.received_at >= ${since.toISOString()}::timestamptz and p.mode = 'live'
        group by w.id order by w.id`,
      ({ from, until, ...row }) => ({ ...row, from: readInstant(from), until: readInstant(until) }),
    ),
  );
}
