import { randomBytes } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { migrateDatabase } from "@/db/migrate";
import { testServers } from "./environment";

export type TestDatabase = { url: string; sql: Sql; drop: () => Promise<void> };

/** A database of its own beside the run's, for what concerns a whole database. */
export const createDatabase = async ({ isMigrated }: { isMigrated: boolean }): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const { DATABASE_URL = "" } = testServers().environment;
  const url = new URL(DATABASE_URL);
  url.pathname = `/${name}`;
  const admin = postgres(DATABASE_URL, { max: 1 });
  await admin.unsafe(`create database ${name}`);
  if (isMigrated) await migrateDatabase(url.href);
  const sql = postgres(url.href, { max: 2, onnotice: () => undefined });
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end({ timeout: 1 });
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end({ timeout: 1 });
    },
  };
};

/** Every row of every table, so that two looks at a database can be compared. */
export const everything = async (sql: Sql): Promise<Record<string, unknown[]>> => {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  const rows = await Promise.all(
    tables.map(
      async ({ name }): Promise<[string, unknown[]]> => [
        name,
        (await sql`select to_json(t)::text as row from ${sql(name)} t order by 1`).map(({ row }) => row),
      ],
    ),
  );
  return Object.fromEntries(rows.filter(([, found]) => found.length > 0));
};
