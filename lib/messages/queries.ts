import { and, eq, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import type { PendingQuery, Row, Sql } from "postgres";
import { onDatabase, prepared } from "@/db/client";
import { onSql } from "@/db/raw-sql";
import { type Message, messages } from "@/db/schema/messages";
import { AppError } from "@/lib/core/app-error";
import type { KeyLimits, Mode, WorkspaceId } from "@/lib/core/principal";
import { shorten } from "@/lib/core/text";
import { readColumns, SHOWN_FIELDS } from "./columns";

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

const isNamed = and(
  eq(messages.workspaceId, sql.placeholder("workspaceId")),
  eq(messages.id, sql.placeholder("messageId")),
);

const messageById = prepared((db) => db.select().from(messages).where(isNamed).prepare("message_by_id"));
