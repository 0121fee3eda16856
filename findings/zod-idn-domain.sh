#!/usr/bin/env bash
# A country's domain in its own letters, such as .рф of Russia or .भारत of India, ends with an `xn--…` label in DNS. z.email and
# z.httpUrl of Zod refuse each address under one, also as DNS has it, although z.httpUrl takes münchen.de and z.hostname takes the host.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact zod@4.6.7 >/dev/null
cat >read.mjs <<'JS'
import { z } from "zod";

const is = (schema, text) => (schema.safeParse(text).success ? "taken" : "refused");
for (const host of ["münchen.de", "xn--mnchen-3ya.de", "пример.рф", "xn--e1afmkfd.xn--p1ai", "xn--p1b6ci4b4b3a.xn--h2brj9c"]) {
  const url = `https://${host}/webhooks`;
  console.log(`${host}: email ${is(z.email(), `info@${host}`)}, httpUrl ${is(z.httpUrl(), url)}, url ${is(z.url(), url)}, hostname ${is(z.hostname(), host)}`);
}
JS
echo "zod 4.6.7:"
seen="$(node read.mjs)"
echo "$seen"
[ "$seen" = "münchen.de: email refused, httpUrl taken, url taken, hostname refused
xn--mnchen-3ya.de: email taken, httpUrl taken, url taken, hostname taken
пример.рф: email refused, httpUrl refused, url taken, hostname refused
xn--e1afmkfd.xn--p1ai: email refused, httpUrl refused, url taken, hostname taken
xn--p1b6ci4b4b3a.xn--h2brj9c: email refused, httpUrl refused, url taken, hostname taken" ] || { echo "The behaviour has changed." >&2; exit 1; }
