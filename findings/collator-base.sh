#!/usr/bin/env bash
# Intl.Collator with sensitivity "base" is the usual way to compare without case and accents. What counts as an accent depends on the
# script: voiced kana equal unvoiced ones, Thai words with and without a tone mark are one, but й is not и, and dotless ı not i.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact node@24.11.1 >/dev/null
cat >compare.mjs <<'JS'
const { compare } = new Intl.Collator("en", { sensitivity: "base" });
const pairs = [
  ["arrêt", "arret"],
  ["ストップ", "すとっふ"], // stop, and no word
  ["かぎ", "がき"], // key, child
  ["ไม่", "ไม"], // not, and no word
  ["फ़न", "फन"], // fun (art), hood of a snake
  ["все", "всё"], // all people, everything
  ["мой", "мои"], // my (one), my (several)
  ["ıptal", "iptal"],
  ["", "\u200b\u0640"], // nothing, and a zero-width space with a tatweel
];
console.log(process.version);
for (const [one, other] of pairs) console.log(`${JSON.stringify(one)} ${compare(one, other) === 0 ? "is" : "is not"} ${escape(other)}`);
JS
seen="$(./node_modules/.bin/node compare.mjs)"
echo "$seen"
[ "$seen" = 'v24.11.1
"arrêt" is arret
"ストップ" is %u3059%u3068%u3063%u3075
"かぎ" is %u304C%u304D
"ไม่" is %u0E44%u0E21
"फ़न" is %u092B%u0928
"все" is %u0432%u0441%u0451
"мой" is not %u043C%u043E%u0438
"ıptal" is not iptal
"" is %u200B%u0640' ] || { echo "The behaviour has changed." >&2; exit 1; }
