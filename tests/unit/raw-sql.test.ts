import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Other ways to a raw statement than `onSql` and `rawSql` of db/raw-sql.ts. */
const OTHER_WAYS = /\$client|\.execute(?:<[^()]*>)?\(\s*sql|sql\.begin\(/;

test("raw statements have one form", () => {
  const files = ["app", "lib"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => OTHER_WAYS.test(readFileSync(file, "utf8")))).toEqual([]);
});
