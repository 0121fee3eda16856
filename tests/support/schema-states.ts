import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Sql } from "postgres";
import { migrateDatabase } from "@/db/migrate";
import journal from "@/db/migrations/meta/_journal.json" with { type: "json" };
import { tableNames } from "./databases";

/** The names of the migrations, in order. */
export const MIGRATIONS: string[] = journal.entries.map(({ tag }) => tag);

/** Leaves an empty database as the release whose last migration was `tag` would have. */
export const migrateTo = async (url: string, tag: string): Promise<void> => {
  const migrationsFolder = mkdtempSync(path.join(os.tmpdir(), "switchboard-migrations-"));
  try {
    cpSync("db/migrations", migrationsFolder, { recursive: true });
    const entries = journal.entries.slice(0, MIGRATIONS.indexOf(tag) + 1);
    writeFileSync(path.join(migrationsFolder, "meta/_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrateDatabase(url, migrationsFolder);
  } finally {
    rmSync(migrationsFolder, { recursive: true });
  }
};

type Column = { name: string; type: string; nullable: boolean; labels: string[] | null };
type Reference = { target: string; columns: string[]; targets: string[] };
type Row = Record<string, unknown>;

const WORKSPACES = ["a", "b"];
/** In each workspace; the last leaves out what may be null. */
const ROWS = [1, 2, 3];

/** What a rule of the schema asks for, or what a migration reads. */
const VALUES: Record<string, (workspace: string, row: number) => unknown> = {
  "contacts.phone": (workspace, row) => `44770090${workspace === "a" ? 1 : 2}00${row}`,
  "contacts.merged_into": () => null,
  "phone_numbers.platform_event": (_, row) => ["FLAGGED", "DISABLED_UPDATE: DISABLE", "ACCOUNT_DELETED"][row - 1],
  "workspaces.time_zone": () => "Asia/Kathmandu",
  "webhook_endpoints.events": () => ["message.sent"],
};

/** Puts rows of two workspaces into every table of the schema as it is now. */
export const fillTables = async (sql: Sql): Promise<void> => {
  const filled: Record<string, Row[]> = {};
  const waiting = await tableNames(sql);
  while (waiting.length > 0) {
    const table = waiting.shift() ?? "";
    const references = await referencesOf(sql, table);
    if (references.some(({ target }) => !filled[target])) {
      waiting.push(table);
      continue;
    }
    const columns = await columnsOf(sql, table);
    const rows = WORKSPACES.flatMap((workspace, w) =>
      ROWS.map((number, r) => {
        const row: Row = {};
        for (const column of columns) {
          const isLeftOut = column.nullable && number === ROWS.length;
          if (!isLeftOut) row[column.name] = sampleOf(table, column, workspace, number);
        }
        for (const { target, columns: own, targets } of references) {
          const other = filled[target]?.[w * ROWS.length + r] ?? {};
          for (const [i, name] of own.entries()) if (name in row) row[name] = other[targets[i] ?? ""];
        }
        return row;
      }),
    );
    for (const row of rows) await sql`insert into ${sql(table)} ${sql(row)}`;
    filled[table] = rows;
  }
};

const sampleOf = (table: string, { name, type, labels }: Column, workspace: string, number: number): unknown => {
  const given = VALUES[`${table}.${name}`];
  if (given) return given(workspace, number);
  if (labels) return labels[number % labels.length];
  // The second workspace's numbers follow the first's, so that no unique index is met.
  const unique = WORKSPACES.indexOf(workspace) * ROWS.length + number;
  if (type === "boolean") return number === 1;
  if (/^(smallint|integer|bigint|numeric.*)$/.test(type)) return number;
  if (type === "date") return `2026-0${number}-01`;
  if (type.startsWith("timestamp")) return `2026-11-${10 + unique}T10:00:00Z`;
  if (type === "text[]") return [`${name}-${workspace}${number}`];
  if (type === "bytea") return Buffer.from(`${name} ${unique}`);
  if (/^jsonb?$/.test(type)) return { number };
  return `${name}-${workspace}${number}`;
};

const columnsOf = (sql: Sql, table: string) => sql<Column[]>`
  select attname as name, format_type(atttypid, null) as type, not attnotnull as nullable,
    (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = atttypid) as labels
  from pg_attribute
  where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = ''`;

/** Its foreign keys to other tables. */
const referencesOf = (sql: Sql, table: string) => sql<Reference[]>`
  select confrelid::regclass::text as target,
    (select array_agg(attname::text order by place) from unnest(conkey) with ordinality as k (number, place)
      join pg_attribute on attrelid = conrelid and attnum = number) as columns,
    (select array_agg(attname::text order by place) from unnest(confkey) with ordinality as k (number, place)
      join pg_attribute on attrelid = confrelid and attnum = number) as targets
  from pg_constraint where contype = 'f' and conrelid = ${table}::regclass and confrelid <> conrelid`;

/** Every row of every table, in the columns that `shape` has: those of an earlier schema in a later one, too. */
export const rowsIn = async (sql: Sql, shape: Map<string, string[]>): Promise<Map<string, string[]>> => {
  const rows = new Map<string, string[]>();
  for (const [table, columns] of shape) {
    const found = await sql`select to_json(t)::text as row from (select ${sql(columns)} from ${sql(table)}) t`;
    rows.set(table, found.map(({ row }) => row).toSorted());
  }
  return rows;
};

/** The columns of each table. */
export const shapeOf = async (sql: Sql): Promise<Map<string, string[]>> => {
  const shape = new Map<string, string[]>();
  for (const table of await tableNames(sql))
    shape.set(
      table,
      (await columnsOf(sql, table)).map(({ name }) => name),
    );
  return shape;
};

/** What the schema consists of, as Postgres describes it; the order of columns is no part of it. */
export const schemaOf = async (sql: Sql): Promise<string[]> => {
  const parts = await sql<{ part: string }[]>`
    with tables as (select oid, relname, relpersistence from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
    select format('table %s %s', relname, relpersistence) as part from tables
    union all select format('column %s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid))
      from tables join pg_attribute a on attrelid = oid and attnum > 0 and not attisdropped
      left join pg_attrdef d on adrelid = attrelid and adnum = attnum
    union all select format('%s %s', relname, pg_get_constraintdef(c.oid)) from tables join pg_constraint c on conrelid = tables.oid
    union all select pg_get_indexdef(indexrelid) from tables join pg_index on indrelid = oid
    union all select pg_get_triggerdef(t.oid) from tables join pg_trigger t on tgrelid = tables.oid where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all select format('type %s %s', typname, array_agg(enumlabel order by enumsortorder))
      from pg_enum join pg_type t on t.oid = enumtypid group by typname`;
  return parts.map(({ part }) => part).toSorted();
};
