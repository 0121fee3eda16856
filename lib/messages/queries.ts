import { and, asc, eq, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { PendingQuery, Row, Sql } from "postgres";
import { onDatabase, prepared } from "@/db/client";
import { onSql, readInstant, readRows } from "@/db/raw-sql";
import { MARKS, type Message, messages, statusEvents } from "@/db/schema";
import { AppError } from "@/lib/core/app-error";
import type { KeyLimits, Mode, WorkspaceId } from "@/lib/core/principal";
import { shorten } from "@/lib/core/text";
import { readColumns } from "./columns";
import { SHOWN_FIELDS, selectMessage } from "./message-summary";

/** What a call names a message by: its id, or the idempotency key of its send. */
export type MessageName = { messageId: string } | { idempotencyKey: string };

/** Whether a message can have the name: Postgres rejects text with a NUL, and no id is longer or has other characters. */
export function isPlausible(name: MessageName): boolean {
  return !("messageId" in name) || /^[\x21-\x7e]{1,100}$/.test(name.messageId);
}

/** What the API needs of a named message; a row has twice as many columns, and the contents. */
const NAMED = [
  ...SHOWN_FIELDS,
  "mode",
  "apiKeyId",
  "phoneNumberId",
  "contactId",
  "phone",
  "templateName",
  "phase",
  "fencingToken",
  "fingerprint",
  "leaseExpiresAt",
  "contentsRemovedAt",
] as const;
/** The contact is the one that stays, where it was merged into another. */
const NAMED_COLUMNS = NAMED.map((field) =>
  field === "contactId" ? "coalesce(c.merged_into, m.contact_id) as contact_id" : `m.${toSnakeCase(field)}`,
).join(", ");

export type NamedMessage = Pick<Message, (typeof NAMED)[number]>;

type Part = PendingQuery<Row[]>;

/** As JSON, so that a statement about many calls can return one for each. */
export type StoredNamed = Record<string, unknown>;

/** Selects a message of a workspace as `StoredNamed`; its mode and name are SQL expressions. */
export function selectNamed(
  sql: Sql,
  workspaceId: string,
  { mode, by, value }: { mode: Part; by: "messageId" | "idempotencyKey"; value: Part },
): Part {
  return sql`
    select to_json(named) as message from (
      select ${sql.unsafe(NAMED_COLUMNS)}
      from messages m left join contacts c on c.workspace_id = ${workspaceId} and c.id = m.contact_id
      where m.workspace_id = ${workspaceId} and m.mode = ${mode}
        and ${by === "messageId" ? sql`m.id` : sql`m.idempotency_key`} = ${value}
    ) named`;
}

/** Returns the message as drizzle's own statements do. */
export function readNamed(row: StoredNamed): NamedMessage {
  return readColumns({ ...row, fingerprint: Buffer.from(String(row.fingerprint).slice(2), "hex") }, NAMED);
}

/** Returns the message, `named` if it was looked up. Throws NOT_FOUND, also for one of the other mode or a line beyond `limits`. */
export async function getMessage(
  workspaceId: WorkspaceId,
  { mode, limits }: { mode: Mode; limits: KeyLimits },
  { messageId, named }: { messageId: string; named: NamedMessage | null | undefined },
): Promise<NamedMessage> {
  const message = named === undefined ? await findNamedMessage(workspaceId, mode, { messageId }) : named;
  if (message && (limits.phoneNumberIds?.includes(message.phoneNumberId) ?? true)) return message;
  const hint = messageId.startsWith("wamid.")
    ? " Use our id (`data.id` of the send), not WhatsApp's."
    : " Use `data.id` of the send, with a key of the same mode.";
  throw new AppError("NOT_FOUND", `No message "${shorten(messageId, 80)}" in this workspace.${hint}`, {
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

/** Returns the message of an id or an idempotency key in `mode`. */
export async function findNamedMessage(
  workspaceId: WorkspaceId,
  mode: Mode,
  name: MessageName,
): Promise<NamedMessage | undefined> {
  if (!isPlausible(name)) return undefined;
  const [by, value] =
    "messageId" in name ? (["messageId", name.messageId] as const) : (["idempotencyKey", name.idempotencyKey] as const);
  const [row] = await onSql(
    (sql) => sql<{ message: StoredNamed }[]>`
      ${selectNamed(sql, workspaceId, { mode: sql`${mode}`, by, value: sql`${value}` })}`,
  );
  return row && readNamed(row.message);
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
type LostRow = Omit<LostSends, "from" | "until"> & { from: string; until: string };

/**
 * Live messages that WhatsApp has reported since, and that this database does not know: sent after the backup that it was
 * restored from, or by another program on the same line. Incomplete: most lost messages get no further status.
 */
export function listLostSends(since: Date): Promise<LostSends[]> {
  return onSql((sql) =>
    readRows(
      sql<LostRow[]>`
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
