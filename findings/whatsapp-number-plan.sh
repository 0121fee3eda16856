#!/usr/bin/env bash
# WhatsApp writes Mexican numbers with a 1 after the country code and many Brazilian ones without their ninth digit: so they are in the
# `wa_id` of its webhooks. libphonenumber's number plans have neither any more. A Mexican one is not even possible, the 1 is not left
# out, as it was until 2021, and a chat that is stored by its E.164 form has a second person for the same phone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact libphonenumber-js@1.13.16 google-libphonenumber@3.2.47 >/dev/null
cat >read.cjs <<'JS'
const { PhoneNumberFormat, PhoneNumberUtil } = require("google-libphonenumber");
const min = require("libphonenumber-js/min");
const max = require("libphonenumber-js/max");

const google = PhoneNumberUtil.getInstance();
const words = (isPossible, isValid) => (isValid ? "valid" : isPossible ? "possible" : "not possible");
for (const [whose, number] of [
  ["Mexico, as dialled", "+525512345678"],
  ["Mexico, as wa_id", "+5215512345678"],
  ["Argentina, as wa_id", "+5491123456789"],
  ["Brazil, as dialled", "+5531987654321"],
  ["Brazil, as wa_id", "+553187654321"],
]) {
  const parsed = google.parse(number);
  const ways = [min, max].map(({ parsePhoneNumberFromString }) => parsePhoneNumberFromString(number));
  const [small, full] = ways.map((read) => words(read.isPossible(), read.isValid()));
  const own = words(google.isPossibleNumber(parsed), google.isValidNumber(parsed));
  console.log(`${whose}: ${google.format(parsed, PhoneNumberFormat.E164)} min ${small}, max ${full}, google ${own}`);
}
JS
echo "libphonenumber-js 1.13.16, google-libphonenumber 3.2.47:"
seen="$(node read.cjs)"
echo "$seen"
[ "$seen" = "Mexico, as dialled: +525512345678 min valid, max valid, google valid
Mexico, as wa_id: +5215512345678 min not possible, max not possible, google not possible
Argentina, as wa_id: +5491123456789 min valid, max valid, google valid
Brazil, as dialled: +5531987654321 min valid, max valid, google valid
Brazil, as wa_id: +553187654321 min valid, max possible, google possible" ] || { echo "The behaviour has changed." >&2; exit 1; }
