#!/usr/bin/env bash
# A JSON Schema has no flags for a pattern. Zod writes a regular expression without its own, and neither throws nor warns: what /…/i takes
# is refused by everybody who reads the schema, such as the clients and gateways of an API whose OpenAPI document is made from it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact zod@4.6.7 ajv@8.20.0 >/dev/null
cat >flags.mjs <<'JS'
import Ajv from "ajv/dist/2020.js";
import { z } from "zod";

for (const [pattern, text] of [
  [/^[a-z]{2}(_[a-z]{2})?$/i, "pt_BR"],
  [/^order .+$/s, "order 8812\nready"],
  [/^#\d+$/m, "Order\n#8812"],
]) {
  const schema = z.string().regex(pattern);
  const json = z.toJSONSchema(schema);
  const isValid = new Ajv().compile(json)(text);
  console.log(`${pattern}: ${json.pattern}; zod ${schema.safeParse(text).success}, its JSON Schema ${isValid}`);
}
JS
node -p '["zod", "ajv"].map((name) => `${name} ${require(`./node_modules/${name}/package.json`).version}`).join("\n")'
seen="$(node flags.mjs)"
echo "$seen"
[ "$seen" = '/^[a-z]{2}(_[a-z]{2})?$/i: ^[a-z]{2}(_[a-z]{2})?$; zod true, its JSON Schema false
/^order .+$/s: ^order .+$; zod true, its JSON Schema false
/^#\d+$/m: ^#\d+$; zod true, its JSON Schema false' ] || { echo "The behaviour has changed." >&2; exit 1; }
