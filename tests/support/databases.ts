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
  const admin = postgres(DATABASE_URL, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`create database ${name}${isMigrated ? ` template ${await migratedTemplate(admin, url)}` : ""}`);
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

/** A database that is migrated once in each Postgres, of which the others are copies: a tenth of the time. */
const migratedTemplate = async (admin: Sql, { href }: URL): Promise<string> => {
  const url = new URL(href);
  url.pathname = "/migrated";
  await admin`select pg_advisory_lock(hashtext('test template'))`;
  const [found] = await admin`select from pg_database where datname = 'migrated'`;
  if (!found) {
    await admin`create database migrated`;
    await migrateDatabase(url.href);
  }
  await admin`select pg_advisory_unlock(hashtext('test template'))`;
  return "migrated";
};

/** The run's tables with a row that holds one of these texts, in any case of letters; bytes are read as hexadecimal. */
export const tablesHolding = async (texts: readonly string[]): Promise<string[]> => {
  const words = texts.map((text) => text.toLowerCase());
  // Of its own, because the servers' connections have no patience for the look at a whole database.
  const sql = postgres(testServers().environment.DATABASE_URL ?? "", { max: 2 });
  const tables = await tableNames(sql);
  // A pattern (`ilike`) would cost three times as much of a database's processor.
  const holding = await Promise.all(
    tables.map(
      (name) => sql`
        select 1 from ${sql(name)} t, lower(t::text) whole
        where exists (select from unnest(${words}::text[]) word where strpos(whole, word) > 0) limit 1`,
    ),
  );
  await sql.end();
  return tables.filter((_, i) => (holding[i]?.length ?? 0) > 0);
};

/** Every row of every table, so that two looks at a database can be compared. */
export const everything = async (sql: Sql): Promise<Record<string, unknown[]>> => {
  const tables = await tableNames(sql);
  const rows = await Promise.all(
    tables.map(
      async (name): Promise<[string, unknown[]]> => [
        name,
        (await sql`select to_json(t)::text as row from ${sql(name)} t order by 1`).map(({ row }) => row),
      ],
    ),
  );
  return Object.fromEntries(rows.filter(([, found]) => found.length > 0));
};

/** The tables of the product, by name, without their partitions. */
export const tableNames = async (sql: Sql): Promise<string[]> => {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  return tables.map(({ name }) => name);
};
