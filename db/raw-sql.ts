import type { Fragment, Row, Sql } from "postgres";
import { type Db, onDatabase, type Transaction } from "./client";

/**
 * Returns the postgres.js tag for a pool or transaction, for statements that the query builder
 * cannot express. Parameters are bound, so instants go in as ISO text with a cast, and lists as arrays or JSON text.
 * Instants and bigints are returned as Postgres' text; convert them with `readRows`.
 */
export function rawSql(on: Db | Transaction): Sql {
  // Drizzle keeps a transaction's connection in its session, but its types omit it.
  return "$client" in on ? on.$client : (on._.session as unknown as { client: Sql }).client;
}

/** Runs a raw statement on the database; `options` and errors are those of `onDatabase`. */
export function onSql<T>(work: (sql: Sql) => Promise<T>, options?: Parameters<typeof onDatabase>[1]): Promise<T> {
  return onDatabase((db) => work(rawSql(db)), options);
}

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

/** Writes instants as the text of an array, for `::text::timestamptz[]`: `width_bucket(at, starts)` numbers the span of `at` from 1 on. */
export function instantArray(instants: readonly Date[]): string {
  return `{${instants.map((at) => at.toISOString()).join(",")}}`;
}

/** Returns the database's time, rounded to milliseconds: the one clock that all servers share. */
export async function databaseTime(): Promise<Date> {
  const [row] = await onSql((sql) => sql<{ now: string }[]>`select clock_timestamp()::timestamptz(3) as now`);
  if (!row) throw new Error("the database returned no time");
  return readInstant(row.now);
}

/**
 * Whether `column` is one of several workspaces, for look-ups in a `lateral` that ends with `limit` or `offset 0`. The planner
 * takes a workspace for all rows (migration 0048), and would read a table once for each; of a range it expects 0.5 %.
 */
export function isOneOfMany(sql: Sql, column: Fragment, workspaceId: Fragment): Fragment {
  return sql`${column} = ${workspaceId} and ${column} between ${workspaceId} and ${workspaceId}`;
}

/**
 * Deletes the rows of `table` whose `key` columns `due` selects, and returns how many; none while another server does. What
 * a delivery's end promotes may be among the rows that the other deletes, so they would wait for each other.
 * By key, not by ctid: a ctid is unique in one partition only, so it would find other workspaces' rows in the others.
 */
export function deleteByKey(
  sql: Sql,
  { table, key = ["workspace_id", "id"], due }: { table: string; key?: readonly string[]; due: Fragment },
) {
  const sameKey = key.map((column) => sql`gone.${sql(column)} = due.${sql(column)}`);
  return sql`
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtextextended(${`delete from ${table}`}, 0)) as is_ours
    ), due as materialized (select * from (${due}) due where (select is_ours from turn))
    delete from ${sql(table)} gone using due where ${sameKey.reduce((all, one) => sql`${all} and ${one}`)}`;
}

/**
 * Serializes contact writes per workspace: people have many names, so no row-lock order avoids deadlocks. What follows in the
 * transaction is planned for the tables as they are, foreign keys and triggers included: a plan from when they were empty
 * would read all of them for each row of a burst.
 */
export async function lockPeople(sql: Sql, workspaceIds: readonly string[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended('inbound ' || workspace_id, 0)),
      set_config('plan_cache_mode', 'force_custom_plan', true)
    from (
      select distinct workspace_id from json_array_elements_text(${JSON.stringify(workspaceIds)}::text::json) as given (workspace_id)
      order by workspace_id
    ) workspace`;
}

/** Runs batches of `size` rows, `most` of them, until one is not full; the rest waits for the next pass. Returns how many rows. */
export async function inBatches(
  { size, most }: { size: number; most: number },
  run: () => Promise<{ count: number }>,
): Promise<number> {
  let rows = 0;
  for (let batch = 0; batch < most; batch++) {
    const { count } = await run();
    rows += count;
    if (count < size) break;
  }
  return rows;
}

/** Escapes a text for a pattern of `like`. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
