#!/usr/bin/env bash
# An enum that is called like an aggregate of Postgres takes its calls: `mode() within group (order by text)` is then a cast to
# the enum, "not an aggregate function". A call with an argument of another kind still finds the aggregate.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact @electric-sql/pglite@0.5.17 >/dev/null
cat >ask.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";

const db = await PGlite.create();
const ask = async (call, values) => {
  const { rows } = await db.query(`select ${call} as answer from (values ${values}) as given (one)`).catch((error) => ({ rows: [{ answer: error.message }] }));
  console.log(call, "→", rows[0].answer);
};
const TEXTS = "('EUR'), ('USD'), ('USD')";
console.log((await db.query("show server_version")).rows[0].server_version);
await ask("mode() within group (order by one)", TEXTS);
await db.query("create type mode as enum ('test', 'live')");
await ask("mode() within group (order by one)", TEXTS);
await ask("pg_catalog.mode() within group (order by one)", TEXTS);
await ask("mode() within group (order by one)", "(1), (2), (2)");
JS
seen="$(node ask.mjs)"
echo "$seen"
[ "$seen" = '18.7
mode() within group (order by one) → USD
mode() within group (order by one) → WITHIN GROUP specified, but mode is not an aggregate function
pg_catalog.mode() within group (order by one) → USD
mode() within group (order by one) → 2' ] || { echo "The behaviour has changed." >&2; exit 1; }
