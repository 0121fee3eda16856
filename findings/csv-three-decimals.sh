#!/usr/bin/env bash
# A CSV file of amounts with decimal points, opened by a spreadsheet whose language has a decimal comma: an amount with exactly
# three decimals becomes a number a thousand times as large, and all others stay text that no sum counts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'EUR\n12.34\n12.345\n12.3456\n0.062\n"1,234.500"\n' >amounts.csv

# Separated by commas, in UTF-8, from the first row, in a language by its number: German, English.
cells() {
  HOME="$folder" libreoffice --headless --convert-to fods --infilter="CSV:44,34,76,1,,$1,false,false" amounts.csv >/dev/null 2>&1
  grep -o '<table:table-cell[^>]*office:value-type="[a-z]*"[^>]*>' amounts.fods |
    sed -E 's/.*office:value-type="float" office:value="([^"]*)".*/number \1/; s/^<.*/text/' | tail -n +2 | paste -sd '|'
}
version=$(HOME="$folder" libreoffice --version | cut -d' ' -f1-2)
seen="German $(cells 1031)
English $(cells 1033)"
echo "$version"
echo "$seen"
[ "$seen" = "German text|number 12345|text|number 62|text
English number 12.34|number 12.345|number 12.3456|number 0.062|number 1234.5" ] || { echo "The behaviour has changed." >&2; exit 1; }
