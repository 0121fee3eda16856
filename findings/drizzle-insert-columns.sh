#!/usr/bin/env bash
# An insert of drizzle-orm names every column that the table declares, also those that `values` leaves out, as `default`. A column
# that no code reads or writes any more, and that is still declared, cannot be dropped while such a program runs beside the new one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund drizzle-orm@0.45.4
cat > run.mjs <<'JS'
import { drizzle } from "drizzle-orm/pg-proxy";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync("node_modules/drizzle-orm/package.json", "utf8"));
const people = pgTable("people", {
  id: text().primaryKey(),
  name: text(),
  unused: integer().notNull().default(1),
});
const db = drizzle(async () => ({ rows: [] }));
const inserted = db.insert(people).values({ id: "a", name: "Ada" }).toSQL();
const updated = db.update(people).set({ name: "Ada" }).toSQL();
console.log(`drizzle-orm ${version}`);
console.log(inserted.sql, inserted.params);
console.log(updated.sql, updated.params);
const expected = 'insert into "people" ("id", "name", "unused") values ($1, $2, default)';
if (inserted.sql !== expected || updated.sql !== 'update "people" set "name" = $1') {
  console.error("An insert names other columns than it did.");
  process.exit(1);
}
console.log("The column that was left out is named by the insert; an update names what it sets.");
JS
node run.mjs
