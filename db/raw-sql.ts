import type { Row, Sql } from "postgres";
import { type Db, onDatabase, type Transaction } from "./client";

/**
 * Returns the postgres.js tag for a pool or transaction, for statements that the query builder
 * cannot express. Parameters are bound, so instants go in as ISO text with a cast, and lists as arrays or JSON text.
 * Instants and bigints are returned as Postgres' text; convert them with `readRows`.
 */
export function rawSql(on: Db | Transaction): Sql {
  return "$client" in on ? on.$client : clientOf(on);
}

/** Runs a raw statement on the database; `options` and errors are those of `onDatabase`. */
export function onSql<T>(work: (sql: Sql) => Promise<T>, options?: Parameters<typeof onDatabase>[1]): Promise<T> {
  return onDatabase((db) => work(rawSql(db)), options);
}

/** Drizzle keeps a transaction's connection in its session, but its types omit it. */
const clientOf = ({ _: { session } }: Transaction): Sql => (session as unknown as { client: Sql }).client;

/** Maps the rows of a raw statement with `read`. Rejects as the statement does. */
export async function readRows<From extends Row, To>(
  statement: PromiseLike<readonly From[]>,
  read: (row: From) => To,
): Promise<To[]> {
  return (await statement).map(read);
}

/** Reads an instant of a raw statement, `2026-01-05 12:00:00.123+00`. */
export function readInstant(text: string): Date {
  return new Date(text);
}

/** Returns the database's time in milliseconds, the one clock that all servers share. */
export async function databaseTime(): Promise<Date> {
  const [row] = await onSql((sql) => sql<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`);
  if (!row) throw new Error("the database returned no time");
  return readInstant(row.now);
}
