import { afterAll, expect } from "vitest";
import { createDatabase, type TestDatabase } from "./databases";
import { runProgram } from "./programs";
import { fillTables, MIGRATIONS, migrateTo, rowsIn, schemaOf, shapeOf } from "./schema-states";

/** The last migration of each release before today's. */
export const EARLIER = MIGRATIONS.slice(0, -1);

const databases: TestDatabase[] = [];

/** Drops what the tests of a file have made. */
export const dropUpgraded = (): void => {
  afterAll(() => Promise.all(databases.splice(0).map((database) => database.drop())));
};

export const newDatabase = async (isMigrated: boolean): Promise<TestDatabase> => {
  const database = await createDatabase({ isMigrated });
  databases.push(database);
  return database;
};

/** `npm run db:migrate` as the build holds it, which starts three times as fast. */
export const upgrade = async ({ url }: TestDatabase): Promise<void> => {
  const { exitCode, stderr } = await runProgram(["scripts/start.mjs", "migrate"], {
    PATH: process.env.PATH,
    DATABASE_URL: url,
  });
  expect([exitCode, stderr]).toEqual([0, "The database's schema is up to date.\n"]);
};

/** A database of the release whose last migration was `tag` becomes today's, whose schema is given, and keeps its rows. */
export const expectUpgradeKeepsRows = async (tag: string, today: string[]): Promise<void> => {
  const database = await newDatabase(false);
  const { sql } = database;
  await migrateTo(database.url, tag);
  await fillTables(sql);
  const shape = await shapeOf(sql);
  const before = await rowsIn(sql, shape);
  for (const [table, rows] of before) expect(rows.length, table).toBeGreaterThanOrEqual(6);

  await upgrade(database);

  expect(await schemaOf(sql)).toEqual(today);
  // 0052 drops it.
  shape.delete("outcome_hours");
  before.delete("outcome_hours");
  const after = await rowsIn(sql, shape);
  if (before.has("usage_shares") && !after.get("usage_shares")?.length) {
    // 0025 returns what a share had left to its month: 3 shares of 1, 2 and 3 for months with 1, 2 and 3 used.
    expect(await sql`select distinct used from usage`).toEqual([{ used: 0 }]);
    for (const table of ["usage", "usage_shares"]) before.delete(table);
  }
  const lost = [...before].flatMap(([table, rows]) =>
    rows.filter((row) => !after.get(table)?.includes(row)).map((row) => `${table} ${row}`),
  );
  expect(lost).toEqual([]);
};
