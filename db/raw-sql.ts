import type { Row, Sql } from "postgres";
import { type Db, onDatabase, type Transaction } from "./client";

/**
 * postgres.js' own tag, on a connection of the pool or on that of a transaction: for statements that the query builder
 * cannot express. Parameters are bound, so instants go in as ISO text with a cast, and lists as arrays or JSON text.
 * Rows come back as Postgres' own text where they hold instants or bigints; `readRows` reads them.
 */
export function rawSql(on: Db | Transaction): Sql {
  return "$client" in on ? on.$client : clientOf(on);
}

/** Runs a raw statement on the database; `options` and errors are those of `onDatabase`. */
export function onSql<T>(work: (sql: Sql) => Promise<T>, options?: Parameters<typeof onDatabase>[1]): Promise<T> {
  return onDatabase((db) => work(rawSql(db)), options);
}

/** Drizzle keeps the connection of a transaction in its session, and leaves it out of its types. */
const clientOf = ({ _: { session } }: Transaction): Sql => (session as unknown as { client: Sql }).client;

/** The rows of a raw statement, each as `read` makes it of its columns. Rejects as the statement does. */
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
