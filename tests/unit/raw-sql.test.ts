import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Other ways to a raw statement than `onSql` and `rawSql` of db/raw-sql.ts. */
const OTHER_WAYS = /\$client|\.execute(?:<[^()]*>)?\(\s*sql|sql\.begin\(/;

/** A comparison that holds whenever a value is absent: the planner expects one row in 200, and joins by nested loop. */
const SOMETIMES_ABSENT = [
  /([\w.]+)\s*(?:[<>]?=|[<>]|is not distinct from)\s*coalesce\([^,]+,\s*\1\)/i,
  /(\$\{[^}]+\}|\w+\.\w+)(?:::\w+)?\s+is null\s+or\s+[\w.]+\s*=\s*\1/i,
];

const filesOf = (...folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
      .filter((entry) => entry.isFile() && /\.(tsx?|sql)$/.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );

test("a condition that is sometimes absent is left out of its statement", () => {
  const found = filesOf("app", "lib", "db", "scripts").flatMap((file) => {
    const code = readFileSync(file, "utf8");
    return SOMETIMES_ABSENT.flatMap((form) => (form.exec(code) ? [`${file}: ${form.exec(code)?.[0]}`] : []));
  });
  expect(found).toEqual([]);
});

test("raw statements have one form", () => {
  const files = filesOf("app", "lib");
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => OTHER_WAYS.test(readFileSync(file, "utf8")))).toEqual([]);
});

test("no method of the planner is switched off", () => {
  // Postgres up to 17 prices a plan that cannot do without one at 10^10, and compiles it for that. Of the functions of the database
  // the newest definitions count (tests/own-world/delivery-plans.test.ts).
  const found = filesOf("db", "lib").filter((file) => /\benable_\w+/.test(readFileSync(file, "utf8")));
  expect(found).toEqual(["db/migrations/0023_waiting_deliveries.sql"]);
});
