#!/usr/bin/env bash
# fetch refuses some ports that any server may listen on, such as 10080 and 6566, before it connects. Its error has no code and no
# system call, so it is neither a refused connection nor a name that is unknown; http.get calls the same server.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact undici@7.16.0 >/dev/null
cat >call.mjs <<'JS'
import http from "node:http";
import { createRequire } from "node:module";
import { fetch } from "undici";

console.log(`undici ${createRequire(import.meta.url)("undici/package.json").version}`);
for (const port of [10080, 6566]) {
  const server = http.createServer((_, response) => response.end()).listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${port}/`;
  const status = await new Promise((resolve) => http.get(url, (response) => resolve(response.resume().statusCode)));
  const error = await fetch(url).catch((failure) => failure);
  console.log(`${port}: http.get ${status}, fetch ${error.message} (${error.cause?.message}, ${error.cause?.code}, ${error.cause?.syscall})`);
  server.close();
}
JS
seen="$(node call.mjs)"
echo "$seen"
[ "$seen" = "undici 7.16.0
10080: http.get 200, fetch fetch failed (bad port, undefined, undefined)
6566: http.get 200, fetch fetch failed (bad port, undefined, undefined)" ] || { echo "The behaviour has changed." >&2; exit 1; }
