import { getTableColumns } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { type Message, messages } from "@/db/schema";

/** A row of `messages` as a statement of our own returns it, or of nulls where an outer join found none. */
export type MessageRow = { id: string | null } & Record<string, unknown>;

const COLUMNS = Object.entries(getTableColumns(messages)).map(([key, column]) => {
  return { key, name: toSnakeCase(key), column };
});

/** The row as drizzle's own statements return it. */
export function toMessage(row: MessageRow): Message {
  return Object.fromEntries(
    COLUMNS.map(({ key, name, column }) => {
      if (!(name in row)) throw new Error(`the row has no column ${name}`);
      return [key, row[name] === null ? null : column.mapFromDriverValue(row[name])];
    }),
  ) as Message;
}
