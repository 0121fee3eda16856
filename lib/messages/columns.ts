import { getTableColumns } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { type Message, messages } from "@/db/schema/messages";

/** What its send decides of a message that events say, too. */
export const MADE_FIELDS = ["createdAt", "idempotencyKey"] as const;

/** What the API returns of a message and its events, and with it lists and exports. */
export const SHOWN_FIELDS = [
  ...MADE_FIELDS,
  "id",
  "status",
  "whatsappMessageId",
  "failureReason",
  "sentAt",
  "deliveredAt",
  "readAt",
] as const;

const COLUMN_OF = Object.fromEntries(
  Object.keys(getTableColumns(messages)).map((field) => [field, toSnakeCase(field)]),
);

/** Returns fields of a message under the names of their columns, to write them. */
export function byColumn<Value>(fields: { [Field in keyof Message]?: Value }): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [COLUMN_OF[field], value]));
}

/** Lists columns of `messages` for a statement: `m.id, m.created_at`. */
export function columnList(fields: readonly (keyof Message)[], table: string): string {
  return fields.map((field) => `${table}.${COLUMN_OF[field]}`).join(", ");
}

/** Returns the fields of a row of `messages`, as drizzle's own statements do. */
export function readColumns<Field extends keyof Message>(
  row: Record<string, unknown>,
  fields: readonly Field[],
): Pick<Message, Field> {
  const read: Record<string, unknown> = {};
  for (const field of fields) {
    const value = row[COLUMN_OF[field] ?? ""];
    if (value === undefined) throw new Error(`the row has no column of ${field}`);
    read[field] = value === null ? null : messages[field].mapFromDriverValue(value);
  }
  return read as Pick<Message, Field>;
}
