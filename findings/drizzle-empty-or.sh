#!/usr/bin/env bash
# A condition that is built from a list, or(...list.map(…)), matches nothing where the list is empty, one would say, as inArray of an empty
# list does. Drizzle's or() is undefined then, which is no condition: it selects, changes or deletes all rows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact drizzle-orm@0.45.4 @electric-sql/pglite@0.5.17 >/dev/null
cat >match.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { and, eq, inArray, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import { integer, pgTable, text } from "drizzle-orm/pg-core";

const client = await PGlite.create();
await client.exec("create table people (id int, city text); insert into people values (1, 'Oslo'), (2, 'Graz'), (3, 'Graz')");
const db = drizzle({ client });
const people = pgTable("people", { id: integer(), city: text() });
for (const cities of [["Graz"], []]) {
  const isIn = or(...cities.map((city) => eq(people.city, city)));
  const counts = [isIn, and(eq(people.id, 1), isIn), inArray(people.city, cities)].map((where) => db.$count(people, where));
  const [alone, besideAnother, listed] = await Promise.all(counts);
  console.log(`${cities.length} cities: or ${alone}, id = 1 and or ${besideAnother}, inArray ${listed}`);
}
const gone = await db.delete(people).where(or()).returning();
console.log(`delete of none: ${gone.length} of 3 rows are gone`);
await client.close();
JS
node -p '`drizzle-orm ${JSON.parse(require("fs").readFileSync("node_modules/drizzle-orm/package.json")).version}`'
seen="$(node match.mjs)"
echo "$seen"
[ "$seen" = "1 cities: or 2, id = 1 and or 0, inArray 2
0 cities: or 3, id = 1 and or 1, inArray 0
delete of none: 3 of 3 rows are gone" ] || { echo "The behaviour has changed." >&2; exit 1; }
