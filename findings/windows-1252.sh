#!/usr/bin/env bash
# Several releases of Node decode Windows-1252 as ISO-8859-1: a euro sign in a file of a spreadsheet becomes a control
# character without an error. The same bytes as part of a stream ({ stream: true }) are decoded as the standard says.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
cat >decode.mjs <<'JS'
const bytes = Uint8Array.of(0x80, 0x20, 0x96, 0x20, 0xe4); // "€ – ä"
const shown = (options) => escape(new TextDecoder("windows-1252").decode(bytes, options));
console.log(`${process.version} whole: ${shown()} stream: ${shown({ stream: true })}`);
JS
seen=""
for version in 22.12.0 22.21.1 24.11.1 26.10.0; do
  npm install --silent --no-audit --no-fund --save-exact "node@$version" >/dev/null
  seen+="$(./node_modules/.bin/node decode.mjs)"$'\n'
done
printf '%s' "$seen"
right="%u20AC%20%u2013%20%E4"
wrong="%80%20%96%20%E4"
expected="v22.12.0 whole: $right stream: $right
v22.21.1 whole: $wrong stream: $right
v24.11.1 whole: $wrong stream: $right
v26.10.0 whole: $right stream: $right
"
[ "$seen" = "$expected" ] || { echo "The behaviour has changed." >&2; exit 1; }
