#!/usr/bin/env bash
# A number with its country code but without a plus is a valid national number to libphonenumber where the country's numbers
# may be that long, and what it calls valid depends on the metadata that is loaded. Britain's numbers for films are not valid.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact libphonenumber-js@1.13.16 >/dev/null
cat >read.mjs <<'JS'
import * as max from "libphonenumber-js/max";
import * as min from "libphonenumber-js/min";

const say = ({ parsePhoneNumberFromString }, text, country) => {
  const read = parsePhoneNumberFromString(text, country);
  return `${read.number} possible ${read.isPossible()} valid ${read.isValid()}`;
};
for (const [text, country] of [
  ["4915228817386", "DE"],
  ["447700900001", "DE"],
  ["10115", "DE"],
  ["07700 900001", "GB"],
  ["call 030 901820 now", "DE"],
]) {
  console.log(`${text} in ${country}: min ${say(min, text, country)}; max ${say(max, text, country)}`);
}
JS
echo "libphonenumber-js 1.13.16:"
seen="$(node read.mjs)"
echo "$seen"
[ "$seen" = "4915228817386 in DE: min +494915228817386 possible true valid true; max +494915228817386 possible true valid true
447700900001 in DE: min +49447700900001 possible true valid true; max +49447700900001 possible true valid true
10115 in DE: min +4910115 possible true valid true; max +4910115 possible true valid false
07700 900001 in GB: min +447700900001 possible true valid false; max +447700900001 possible true valid false
call 030 901820 now in DE: min +4930901820 possible true valid true; max +4930901820 possible true valid true" ] || { echo "The behaviour has changed." >&2; exit 1; }
