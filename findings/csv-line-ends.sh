#!/usr/bin/env bash
# A CSV file whose headings end with CRLF and whose rows end with LF, as one gets by adding headings to an export, is read
# by three well-known readers as one row after the headings, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact papaparse@5.7.1 csv-parse@7.0.3 udsv@0.7.3 >/dev/null
cat >read.mjs <<'JS'
import { parse } from "csv-parse/sync";
import Papa from "papaparse";
import { inferSchema, initParser } from "udsv";

const text = "phone,name\r\n1,Ada\n2,Bob\n3,Cid\n";
const { data, errors } = Papa.parse(text);
console.log("papaparse", JSON.stringify(data), errors.length, "errors");
console.log("csv-parse", JSON.stringify(parse(text, { relax_column_count: true })));
console.log("udsv", JSON.stringify(initParser(inferSchema(text)).stringArrs(text)));
JS
seen="$(node read.mjs)"
echo "$seen"
[ "$seen" = 'papaparse [["phone","name"],["1","Ada\n2","Bob\n3","Cid\n"]] 0 errors
csv-parse [["phone","name"],["1","Ada\n2","Bob\n3","Cid\n"]]
udsv [["1","Ada\n2,Bob\n3,Cid\n"]]' ] || { echo "The behaviour has changed." >&2; exit 1; }
