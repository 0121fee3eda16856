#!/usr/bin/env bash
# A daily job where the clock changes at midnight or by half an hour. When Cairo's clock goes back from midnight to 23:00, cron's job for
# 00:00 runs at that 23:00, and again an hour later. When Lord Howe's skips 02:00 to 02:30, cron's job for 02:15 runs twice, and that of
# cron-parser not at all. cron-parser also takes the second 00:30 of a night that has two, but the first 01:30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact cron@4.4.0 cron-parser@5.10.6 croner@11.0.1 >/dev/null
cat >runs.mjs <<'JS'
import { CronTime } from "cron";
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

const libraries = {
  cron: (expression, zone) => {
    const time = new CronTime(expression, zone);
    return (after) => time.getNextDateFrom(after, zone).toJSDate();
  },
  "cron-parser": (expression, tz) => (after) => CronExpressionParser.parse(expression, { tz, currentDate: after }).next().toDate(),
  croner: (expression, timezone) => (after) => new Cron(expression, { timezone, paused: true }).nextRun(after),
};
for (const [zone, time, from, until] of [
  ["Africa/Cairo", "00:00", "2026-10-29T12:00Z", "2026-10-30T12:00Z"],
  ["America/Havana", "00:30", "2026-10-31T12:00Z", "2026-11-01T12:00Z"],
  ["America/New_York", "01:30", "2026-10-31T12:00Z", "2026-11-01T12:00Z"],
  ["Australia/Lord_Howe", "02:15", "2026-10-03T12:00Z", "2026-10-04T10:00Z"],
]) {
  const shown = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  const [hour, minute] = time.split(":").map(Number);
  for (const [library, open] of Object.entries(libraries)) {
    const nextAfter = open(`${minute} ${hour} * * *`, zone);
    const runs = [];
    for (let at = nextAfter(new Date(from)); at < new Date(until); at = nextAfter(at))
      runs.push(`${shown.format(at)} (${at.toISOString().slice(11, 16)} UTC)`);
    console.log(`${zone}, ${time}, ${library}: ${runs.join(" and ") || "no run"}`);
  }
}
JS
echo "cron 4.4.0, cron-parser 5.10.6, croner 11.0.1, the runs of one night:"
seen="$(node runs.mjs)"
echo "$seen"
[ "$seen" = "Africa/Cairo, 00:00, cron: 23:00 (21:00 UTC) and 00:00 (22:00 UTC)
Africa/Cairo, 00:00, cron-parser: 00:00 (22:00 UTC)
Africa/Cairo, 00:00, croner: 00:00 (22:00 UTC)
America/Havana, 00:30, cron: 00:30 (04:30 UTC)
America/Havana, 00:30, cron-parser: 00:30 (05:30 UTC)
America/Havana, 00:30, croner: 00:30 (04:30 UTC)
America/New_York, 01:30, cron: 01:30 (05:30 UTC)
America/New_York, 01:30, cron-parser: 01:30 (05:30 UTC)
America/New_York, 01:30, croner: 01:30 (05:30 UTC)
Australia/Lord_Howe, 02:15, cron: 01:45 (15:15 UTC) and 02:45 (15:45 UTC)
Australia/Lord_Howe, 02:15, cron-parser: no run
Australia/Lord_Howe, 02:15, croner: 02:30 (15:30 UTC)" ] || { echo "The behaviour has changed." >&2; exit 1; }
