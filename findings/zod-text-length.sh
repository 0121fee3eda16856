#!/usr/bin/env bash
# An update of Zod's minor version, 4.4 to 4.5, changes what a text's length is: .min, .max and .length count code points, no more UTF-16
# units. A password of four rare kanji that min(8) took is refused, so its owner cannot sign in; and a name that max(10) takes has up to
# 20 units, which `length`, the maxlength of an HTML field and other validators, here Valibot, still count.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact before@npm:zod@4.4.3 now@npm:zod@4.6.7 valibot@1.5.0 >/dev/null
cat >count.mjs <<'JS'
import * as before from "before";
import * as now from "now";
import * as v from "valibot";

const takes = ({ z }, check, text) => (check(z.string()).safeParse(text).success ? "taken" : "refused");
const [password, text] = ["𠮷𠀋𡈽𡌛", "𠮷".repeat(10)];
for (const [version, zod] of Object.entries({ "4.4.3": before, "4.6.7": now })) {
  const min = takes(zod, (string) => string.min(8), password);
  const max = takes(zod, (string) => string.max(10), text);
  console.log(`zod ${version}: min(8) of 4 kanji ${min}, max(10) of 10 kanji ${max}`);
}
const isTaken = (...checks) => (v.safeParse(v.pipe(v.string(), ...checks), text).success ? "taken" : "refused");
console.log(`valibot: maxLength(10) of 10 kanji ${isTaken(v.maxLength(10))}; its length ${text.length}`);
JS
seen="$(node count.mjs)"
echo "$seen"
[ "$seen" = "zod 4.4.3: min(8) of 4 kanji taken, max(10) of 10 kanji refused
zod 4.6.7: min(8) of 4 kanji refused, max(10) of 10 kanji taken
valibot: maxLength(10) of 10 kanji refused; its length 20" ] || { echo "The behaviour has changed." >&2; exit 1; }
