#!/usr/bin/env bash
# Where does a day begin? Libraries differ where clocks skip midnight, show it twice, or change in the day.
# Exits non-zero once that has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --save-exact \
  luxon@3.7.2 dayjs@1.11.19 date-fns@4.1.0 @date-fns/tz@1.4.1 date-fns-tz@3.2.0 temporal-polyfill@0.3.0
cat >probe.mjs <<'PROBE'
import { TZDate } from "@date-fns/tz";
import { startOfDay } from "date-fns";
import { fromZonedTime } from "date-fns-tz";
import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone.js";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";
import { Temporal } from "temporal-polyfill";

dayjs.extend(utc);
dayjs.extend(timezone);
const ways = {
  "temporal-polyfill": (day, zone) => Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds,
  luxon: (day, zone) => +DateTime.fromISO(`${day}T20:00`, { zone }).startOf("day"),
  dayjs: (day, zone) => +dayjs.tz(`${day}T20:00`, zone).startOf("day"),
  "date-fns with TZDate": (day, zone) => +startOfDay(new TZDate(ways["temporal-polyfill"](day, zone) + 15 * 3_600_000, zone)),
  "date-fns-tz": (day, zone) => +fromZonedTime(`${day}T00:00`, zone),
};
// The first instant whose local date is the day, to the minute, by Node's own zone data.
const dateOf = (ms, zone) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(ms);
const firstInstant = (day, zone) => {
  let [low, high] = [Date.parse(day) - 16 * 3_600_000, Date.parse(day) + 16 * 3_600_000];
  while (high - low > 60_000) {
    const middle = Math.floor((low + high) / 120_000) * 60_000;
    if (dateOf(middle, zone) >= day) high = middle;
    else low = middle;
  }
  return high;
};
console.log(`Node ${process.version}, zone data ${process.versions.tz}. Minutes after the first instant of the day:`);
const seen = {};
for (const [zone, day, why] of [
  ["America/Havana", "2025-11-02", "midnight comes twice"],
  ["Africa/Cairo", "2025-04-25", "there is no midnight"],
  ["Australia/Lord_Howe", "2025-04-06", "the clock changes by half an hour later that day"],
]) {
  const off = Object.entries(ways).map(([name, way]) => [name, (way(day, zone) - firstInstant(day, zone)) / 60_000]);
  console.log(`${zone} ${day} (${why}):`, Object.fromEntries(off));
  seen[zone] = off.map(([, minutes]) => minutes);
}
const expected = process.argv[2];
if (JSON.stringify(seen) !== expected) {
  console.error(`changed: expected ${expected}, saw ${JSON.stringify(seen)}`);
  process.exit(1);
}
PROBE
node probe.mjs '{"America/Havana":[0,60,0,0,0],"Africa/Cairo":[0,0,-60,-60,-60],"Australia/Lord_Howe":[0,0,30,0,0]}'
