#!/usr/bin/env bash
# otpauth's validate answers a right code with how many steps away it is: 0 for the present one. `if (validate(…))` refuses the code
# that the phone shows, and takes the one before it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact otpauth@9.5.2 >/dev/null
cat >codes.mjs <<'JS'
import { Secret, TOTP, version } from "otpauth";

console.log(`otpauth ${version}`);
const totp = new TOTP({ secret: Secret.fromLatin1("12345678901234567890") });
const timestamp = 1_111_111_111_000;
for (const [which, shift] of [["the code before", -30_000], ["the present code", 0], ["a code of an hour ago", -3_600_000]]) {
  const found = totp.validate({ token: totp.generate({ timestamp: timestamp + shift }), timestamp });
  console.log(`${which}: ${found}, taken as ${found ? "right" : "wrong"} by a condition`);
}
JS
seen="$(node codes.mjs 2>&1)" || true
echo "$seen"
[ "$seen" = "otpauth 9.5.2
the code before: -1, taken as right by a condition
the present code: 0, taken as wrong by a condition
a code of an hour ago: null, taken as wrong by a condition" ] || { echo "The behaviour has changed." >&2; exit 1; }
