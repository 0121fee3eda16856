#!/usr/bin/env bash
# postgres.js decides what sql(list) becomes by the last keyword in the text before it, comments included: after `select` a list of
# columns, after `in` a list of values. So the word "in" of a comment makes a query return the name of the column for each row, without an
# error. A fragment of its own around sql(list) has no text before it. Needs Debian's postgresql-15.
set -euo pipefail
folder=$(mktemp -d)
bin=/usr/lib/postgresql/15/bin
if [ "$(id -u)" = 0 ]; then chown nobody "$folder"; as="setpriv --reuid=65534 --regid=65534 --clear-groups"; else as=""; fi
trap '$as "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
$as "$bin/initdb" -D data -U someone --auth=trust --no-sync >/dev/null
$as "$bin/pg_ctl" -D data -w -l "$folder/data/log" -o "-c listen_addresses= -c unix_socket_directories=$folder" start >/dev/null
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact postgres@3.4.9 >/dev/null
cat >read.mjs <<'JS'
import postgres from "postgres";

const sql = postgres({ host: process.cwd(), user: "someone", database: "postgres", max: 1 });
await sql`create table people (name text, city text)`;
await sql`insert into people values ('Ada', 'London'), ('Abe', 'York')`;
const columns = ["city"];
const plain = await sql`select ${sql(columns)} from people order by city`;
const commented = await sql`select /* only those in use */ ${sql(columns)} as city from people order by city`;
const apart = await sql`select /* only those in use */ ${sql`${sql(columns)}`} from people order by city`;
for (const [title, rows] of Object.entries({ plain, commented, apart })) {
  console.log(`${title}: ${rows.map(({ city }) => city).join(", ")} by ${rows.statement.string}`);
}
await sql.end();
JS
seen="$(node read.mjs)"
echo "postgres $(node -p 'require("./node_modules/postgres/package.json").version')"
echo "$seen"
[ "$seen" = 'plain: London, York by select "city" from people order by city
commented: city, city by select /* only those in use */ ($1) as city from people order by city
apart: London, York by select /* only those in use */ "city" from people order by city' ] || { echo "The behaviour has changed." >&2; exit 1; }
