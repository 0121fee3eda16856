#!/usr/bin/env bash
# An element of an array is read by other rules than a column of its type. postgres.js takes a null for the text NULL: a text array has
# the word, an int4 array NaN, a timestamptz array an invalid Date. pg keeps a numeric exact and rounds those of an array. Both are
# reported and open (porsager/postgres 1124 and 1049, brianc/node-postgres 3094). Needs Debian's postgresql-15.
set -euo pipefail
folder=$(mktemp -d)
bin=/usr/lib/postgresql/15/bin
if [ "$(id -u)" = 0 ]; then chown nobody "$folder"; as="setpriv --reuid=65534 --regid=65534 --clear-groups"; else as=""; fi
trap '$as "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
$as "$bin/initdb" -D data -U someone --auth=trust --no-sync >/dev/null
$as "$bin/pg_ctl" -D data -w -l "$folder/data/log" -o "-c listen_addresses= -c unix_socket_directories=$folder" start >/dev/null
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact postgres@3.4.9 pg@8.23.1 >/dev/null
cat >read.mjs <<'JS'
import { inspect } from "node:util";
import pg from "pg";
import postgres from "postgres";

const server = { host: process.cwd(), user: "someone", database: "postgres" };
const sql = postgres({ ...server, max: 1 });
const client = new pg.Client(server);
await client.connect();
const readers = {
  "postgres.js": async (query) => (await sql.unsafe(query))[0],
  pg: async (query) => (await client.query(query)).rows[0],
};
for (const [type, value] of [
  ["text", "'Ada'"],
  ["int4", "7"],
  ["timestamptz", "'2026-11-28Z'"],
  ["numeric", "'9007199254740993.10'"],
]) {
  for (const [driver, read] of Object.entries(readers)) {
    const row = await read(`select ${value}::${type} as column, null::${type} as null, array[${value}, null]::${type}[] as elements`);
    console.log(`${type}, ${driver}: ${inspect(row.column)}, ${row.null} and ${inspect(row.elements)}`);
  }
}
await Promise.all([sql.end(), client.end()]);
JS
echo "postgres 3.4.9, pg 8.23.1, a column, a null, and an array of both:"
seen="$(node read.mjs)"
echo "$seen"
[ "$seen" = "text, postgres.js: 'Ada', null and [ 'Ada', 'NULL' ]
text, pg: 'Ada', null and [ 'Ada', null ]
int4, postgres.js: 7, null and [ 7, NaN ]
int4, pg: 7, null and [ 7, null ]
timestamptz, postgres.js: 2026-11-28T00:00:00.000Z, null and [ 2026-11-28T00:00:00.000Z, Invalid Date ]
timestamptz, pg: 2026-11-28T00:00:00.000Z, null and [ 2026-11-28T00:00:00.000Z, null ]
numeric, postgres.js: '9007199254740993.10', null and [ '9007199254740993.10', 'NULL' ]
numeric, pg: '9007199254740993.10', null and [ 9007199254740994, null ]" ] || { echo "The behaviour has changed." >&2; exit 1; }
