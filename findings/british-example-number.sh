#!/usr/bin/env bash
# The British number of most examples, 07911 123456, is Guernsey's, and numbers of Jersey, Man, the Vatican and Mayotte share
# the calling codes of Britain, Italy and Réunion: a price list by country has no row for them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact libphonenumber-js@1.13.16 >/dev/null
cat >read.cjs <<'JS'
const { parsePhoneNumberFromString } = require("libphonenumber-js/max");
for (const number of ["+447911123456", "+447797712345", "+447624123456", "+390669812345", "+262639012345"])
  console.log(`${number} ${parsePhoneNumberFromString(number)?.country}`);
console.log(`07911 123456 in GB ${parsePhoneNumberFromString("07911 123456", "GB")?.country}`);
JS
echo "libphonenumber-js 1.13.16:"
seen="$(node read.cjs)"
echo "$seen"
[ "$seen" = "+447911123456 GG
+447797712345 JE
+447624123456 IM
+390669812345 VA
+262639012345 YT
07911 123456 in GB GG" ] || { echo "The behaviour has changed." >&2; exit 1; }
