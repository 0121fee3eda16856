#!/usr/bin/env bash
# @upstash/redis reads what it stored as JSON if it is some. The type of a text then depends on its digits, and on the command: a phone
# number or a one-time code comes back as a number, unless it begins with a zero or is long; `1e5` is a text from `get` and 100000 from
# `hgetall`; a
# person called null is nobody.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact @upstash/redis@1.39.0 >/dev/null
cat >types.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { Redis } from "@upstash/redis";

// What Redis says over Upstash's REST API: texts in base64, as the client asks for.
const stored = new Map();
const base64 = (value) => (Array.isArray(value) ? value.map(base64) : Buffer.from(value).toString("base64"));
const run = ([command, key, ...values]) => {
  if (command === "get" || command === "hgetall") return base64(stored.get(key));
  stored.set(key, command === "set" ? String(values[0]) : values.map(String));
  return base64("OK");
};
const server = createServer(async (request, response) => {
  const asked = await json(request);
  const results = (Array.isArray(asked[0]) ? asked : [asked]).map((command) => ({ result: run(command) }));
  response.end(JSON.stringify(Array.isArray(asked[0]) ? results : results[0]));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}`;
const shown = (value) => `${typeof value} ${value}`;
const redis = new Redis({ url, token: "a token", enableTelemetry: false });
for (const text of ["447700900123", "012345", "1e5", "null"]) {
  await redis.set("key", text);
  await redis.hset("hash", { field: text });
  const { field } = await redis.hgetall("hash");
  console.log(`${text}: get ${shown(await redis.get("key"))}, hgetall ${shown(field)}`);
}
server.closeAllConnections();
server.close();
JS
node -p '`@upstash/redis ${JSON.parse(require("fs").readFileSync("node_modules/@upstash/redis/package.json")).version}`'
seen="$(node types.mjs)"
echo "$seen"
[ "$seen" = "447700900123: get number 447700900123, hgetall number 447700900123
012345: get string 012345, hgetall string 012345
1e5: get string 1e5, hgetall number 100000
null: get object null, hgetall object null" ] || { echo "The behaviour has changed." >&2; exit 1; }
