import { getTableColumns } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { type Message, messages } from "@/db/schema/messages";

/** What its send decides of a message that events say, too. */
export const MADE_FIELDS = [
  "createdAt",
  // From here on `madeBy` writes them (send/claim-message.ts).
  "idempotencyKey",
] as const;

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
  for (const field of fields) read[field] = readValue(field, row[COLUMN_OF[field] ?? ""]);
  return read as Pick<Message, Field>;
}

/** Returns what reads the same from a row's values, which begin at `from`: for wide rows, and many. */
export function valuesReader<Field extends keyof Message>(
  fields: readonly Field[],
): (values: readonly unknown[], from?: number) => Pick<Message, Field> {
  const blank = Object.fromEntries(fields.map((field) => [field, null]));
  return (values, from = 0) => {
    // A copy has room for all fields; an object that grows is allocated again and again.
    const read: Record<string, unknown> = { ...blank };
    for (const [place, field] of fields.entries()) read[field] = readValue(field, values[from + place]);
    return read as Pick<Message, Field>;
  };
}

function readValue(field: keyof Message, value: unknown): unknown {
  if (value === undefined) throw new Error(`the row has no column of ${field}`);
  return value === null ? null : messages[field].mapFromDriverValue(value);
}
