#!/usr/bin/env bash
# postgres.js reads every bytea as hexadecimal. Where a user, database or server has bytea_output = escape, a legal setting, the
# bytes that come back are others than those that were stored, and nothing reports it. Needs Debian's postgresql-15.
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

for (const bytea_output of ["hex", "escape"]) {
  const sql = postgres({ host: process.cwd(), user: "someone", database: "postgres", max: 1, connection: { bytea_output } });
  const [{ stored }] = await sql`select ${Buffer.from("secret")}::bytea as stored`;
  console.log(`${bytea_output}: ${stored.length} bytes, ${JSON.stringify(stored.toString())}`);
  await sql.end();
}
JS
seen="$(node read.mjs)"
echo "postgres $(node -p 'require("./node_modules/postgres/package.json").version')"
echo "$seen"
[ "$seen" = 'hex: 6 bytes, "secret"
escape: 0 bytes, ""' ] || { echo "The behaviour has changed." >&2; exit 1; }
