#!/usr/bin/env bash
# A workbook keeps a phone number that was typed without a plus as a number. SheetJS writes it to CSV as its cell looks, so one of
# 12 digits or more loses all but six of them; ExcelJS writes it whole. Reading a CSV, both make numbers of texts: the zero that begins
# a national number is gone, and so are 00 and the plus.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact xlsx@0.18.5 exceljs@4.4.0 >/dev/null 2>&1
cat >phones.mjs <<'JS'
import { Readable } from "node:stream";
import ExcelJS from "exceljs";
import XLSX from "xlsx";

const numbers = [33639980123, 447700900123, 4915228817386];
const lines = (csv) => csv.trim().split(/\r?\n/).join(" ");
const sheet = XLSX.utils.aoa_to_sheet(numbers.map((number) => [number]));
console.log(`xlsx writes ${lines(XLSX.utils.sheet_to_csv(sheet))}`);
const book = new ExcelJS.Workbook();
book.addWorksheet("people").addRows(numbers.map((number) => [number]));
console.log(`exceljs writes ${lines((await book.csv.writeBuffer()).toString())}`);

const csv = "phone\n0639980123\n00447700900123\n+4915228817386\n";
const read = XLSX.read(csv, { type: "string" });
console.log(`xlsx reads ${XLSX.utils.sheet_to_json(read.Sheets.Sheet1).map(({ phone }) => phone).join(" ")}`);
const rows = await new ExcelJS.Workbook().csv.read(Readable.from([csv]));
console.log(`exceljs reads ${rows.getColumn(1).values.slice(2).join(" ")}`);
JS
for package in xlsx exceljs; do
  echo "$package $(node -p "JSON.parse(require('fs').readFileSync('node_modules/$package/package.json')).version")"
done
seen="$(node phones.mjs)"
echo "$seen"
[ "$seen" = "xlsx writes 33639980123 4.47701E+11 4.91523E+12
exceljs writes 33639980123 447700900123 4915228817386
xlsx reads 639980123 447700900123 4915228817386
exceljs reads 639980123 447700900123 4915228817386" ] || { echo "The behaviour has changed." >&2; exit 1; }
