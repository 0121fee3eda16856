import postgres, { type Sql } from "postgres";
import { migrateDatabase } from "@/db/migrate";

const PARTITIONS = 16;

/** Tables that name a workspace and stay whole, each for its reason: the reference tables of docs/scale.md. */
export const DIRECTORY: Record<string, string> = {
  api_keys: "found by the public half of the key, before the workspace is known",
  phone_numbers: "found by WhatsApp's id of the number, before the workspace is known, and read with the key",
  invitations: "found by the hash of the link's token",
  password_resets: "one per account, of whatever workspace, and found by the hash of the link's token",
  jobs: "one queue of the deployment: a mail may be of no workspace",
  mails: "the queue of servers of 0.6, as jobs",
  members: "password_resets refers to it, and a table that is not distributed cannot refer to one that is",
};

type Definition = { table: string; name: string; definition: string };

/** Migrates a new database, and with TEST_PARTITIONS=16 splits its tables by workspace. */
export const migrateTestDatabase = async (
  url: string,
  { isPartitioned = process.env.TEST_PARTITIONS === `${PARTITIONS}` }: { isPartitioned?: boolean | undefined } = {},
): Promise<void> => {
  await migrateDatabase(url);
  if (!isPartitioned) return;
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.begin((tx) => partition(tx as unknown as Sql));
  await sql.end({ timeout: 5 });
};

/** The tables that are split: all that name a workspace, without the directory. */
export const tenantTables = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`;
  return rows.map(({ name }) => name).filter((name) => !(name in DIRECTORY));
};

/**
 * Replaces the empty tenant tables by tables in 16 hash partitions with the same columns, keys, indexes and triggers, under
 * the same names. Postgres refuses a unique key without the workspace, and so does this.
 */
const partition = async (sql: Sql): Promise<void> => {
  const tables = await tenantTables(sql);
  const constraints = await sql<(Definition & { kind: string })[]>`
    select conrelid::regclass::text as table, conname as name, contype as kind, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where conrelid::regclass::text in ${sql(tables)} and contype in ('p', 'u', 'f')
    order by contype = 'f'`;
  const indexes = await sql<Definition[]>`
    select indrelid::regclass::text as table, indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid::regclass::text in ${sql(tables)} and not exists (select from pg_constraint where conindid = indexrelid)`;
  const triggers = await sql<Definition[]>`
    select tgrelid::regclass::text as table, tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid::regclass::text in ${sql(tables)} and not tgisinternal`;

  for (const table of tables) {
    await sql`alter table ${sql(table)} rename to ${sql(`${table}_whole`)}`;
    await sql`
      create table ${sql(table)}
        (like ${sql(`${table}_whole`)} including defaults including constraints including identity including generated)
      partition by hash (workspace_id)`;
    for (let part = 0; part < PARTITIONS; part++)
      await sql.unsafe(
        `create table ${table}_${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`,
      );
  }
  await sql.unsafe(`drop table ${tables.map((table) => `${table}_whole`).join(", ")} cascade`);
  const [keys, references] = [
    constraints.filter(({ kind }) => kind !== "f"),
    constraints.filter(({ kind }) => kind === "f"),
  ];
  for (const { table, name, definition } of keys)
    await sql.unsafe(`alter table ${table} add constraint "${name}" ${definition}`);
  for (const { definition } of indexes) await sql.unsafe(definition);
  for (const { table, name, definition } of references)
    await sql.unsafe(`alter table ${table} add constraint "${name}" ${definition}`);
  for (const { definition } of triggers) await sql.unsafe(definition);
};

/** Columns, constraints, indexes and triggers of all tables, as text and without what Postgres derives for partitions. */
export const definitions = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ words: string }[]>`
    with whole as (
      select oid, relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition)
    select concat_ws(' ', relname, attname, attnum, atttypid::regtype, atttypmod, attnotnull, attidentity, pg_get_expr(adbin, adrelid)) as words
    from whole join pg_attribute on attrelid = whole.oid and attnum > 0 left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid)) from whole join pg_constraint c on conrelid = whole.oid
    where conparentid = 0 and contype <> 'n'
    union all
    select concat_ws(' ', relname, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')) from whole join pg_index on indrelid = whole.oid
    union all
    select concat_ws(' ', relname, translate(pg_get_triggerdef(t.oid), '()', '')) from whole join pg_trigger t on tgrelid = whole.oid
    where not tgisinternal
    order by 1`;
  return rows.map(({ words }) => words);
};
