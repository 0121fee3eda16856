#!/usr/bin/env bash
# Decoding strictly proves UTF-8, but not Shift JIS: Western texts of Windows-1252 are valid in it, capitals with accents as
# half-width katakana and a letter before "t" as a kanji. Full-width kana are what they never have.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact node@22.12.0 >/dev/null
cat >decode.mjs <<'JS'
const read = (text, encoding) => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return "refused";
  }
};
for (const text of ["KÄSE", "ÄÖÜ", "Gerät", "Müller"])
  console.log(`${text} in Windows-1252, as UTF-8: ${read(text, "utf-8")}, as Shift JIS: ${read(text, "shift_jis")}`);
JS
echo "node 22.12.0:"
seen="$(./node_modules/.bin/node decode.mjs)"
echo "$seen"
[ "$seen" = "KÄSE in Windows-1252, as UTF-8: refused, as Shift JIS: KﾄSE
ÄÖÜ in Windows-1252, as UTF-8: refused, as Shift JIS: ﾄﾖﾜ
Gerät in Windows-1252, as UTF-8: refused, as Shift JIS: Ger舩
Müller in Windows-1252, as UTF-8: refused, as Shift JIS: refused" ] || { echo "The behaviour has changed." >&2; exit 1; }
