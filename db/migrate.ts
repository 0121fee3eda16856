import { fileURLToPath } from "node:url";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import postgres, { type Sql } from "postgres";
import { retry } from "@/lib/core/deadline";
import { SESSION } from "./connect";

const MIGRATIONS_FOLDER = fileURLToPath(new URL("./migrations", import.meta.url));
const LOCK_TIMED_OUT = "55P03";
/** A migration of a large table, and one that waits for another, take as long as they take. */
const PATIENCE = {
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  transaction_timeout: "0",
};
const ATTEMPTS = 600;
const MAX_PAUSE_MS = 1_000;

/**
 * Migrates the schema, each migration in a transaction of its own. Safe to run twice at once: the second run waits and
 * finds nothing to do. Rejects with Postgres' error; the migrations before the one that failed stay applied.
 */
export async function migrateDatabase(url: string, migrationsFolder = MIGRATIONS_FOLDER): Promise<void> {
  // One connection: the lock belongs to the session that took it, and the migrations must run in that session.
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    // By a statement, because a pooler in session mode refuses them at the start; and only those that this Postgres knows.
    await sql`
      select set_config(name, value, false)
      from json_each_text(${JSON.stringify({ ...SESSION, ...PATIENCE })}::text::json) as wanted (name, value)
        join pg_settings using (name)`;
    await sql`select pg_advisory_lock(hashtext('switchboard migrations'))`;
    await sql`create schema if not exists drizzle`;
    await sql`
      create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
    const [last] = await sql<{ at: string | null }[]>`select max(created_at) as at from drizzle.__drizzle_migrations`;
    for (const migration of readMigrationFiles({ migrationsFolder }))
      if (migration.folderMillis > Number(last?.at ?? 0)) await applyBesideServers(sql, migration);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Servers of the release before keep running: a migration never waits long enough for Postgres to find a deadlock with
 * their statements and end one of them. It gives its locks back instead, lets them pass, and starts again.
 */
function applyBesideServers(sql: Sql, { sql: statements, hash, folderMillis }: MigrationMeta): Promise<unknown> {
  const work = () =>
    sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', least(500, setting::int / 2)::text, true)
        from pg_settings where name = 'deadlock_timeout'`;
      for (const statement of statements) await tx.unsafe(statement);
      await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
    });
  return retry(work, {
    attempts: ATTEMPTS,
    pauseMs: (made) => Math.min(MAX_PAUSE_MS, 100 * made),
    retryIf: (error) => error instanceof postgres.PostgresError && error.code === LOCK_TIMED_OUT,
  });
}
