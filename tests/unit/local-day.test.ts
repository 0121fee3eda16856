import { readdirSync, readFileSync, statSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expiryAfter, lastDayOf } from "@/lib/api-keys/limit-fields";
import { addDays, dayName, dayStart, daysBetween, lastDays, localDay } from "@/lib/core/local-time";
import { spansOf, type UsageRange } from "@/lib/messages/usage/usage-range";
import { timeZoneNames } from "@/lib/workspaces/workspace-fields";

const ZONES = timeZoneNames();
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 4 * QUARTER_MS;

const instants = fc.date({ min: new Date("2025-06-01"), max: new Date("2030-01-01"), noInvalidDate: true });
const zones = fc.constantFrom(...ZONES);
const holds = ({ since, until }: { since: Date; until: Date }, at: Date) => since <= at && at < until;

const now = new Date("2026-03-29T12:00:00Z");

test.each([
  ["2026-03-29T21:59:00Z", "Europe/Berlin", "Today"],
  ["2026-03-28T23:00:00Z", "Europe/Berlin", "Today"],
  ["2026-03-28T22:59:00Z", "Europe/Berlin", "Yesterday"],
  ["2026-03-28T22:59:00Z", "America/New_York", "Yesterday"],
  ["2026-03-23T09:00:00Z", "UTC", "Mon 23 Mar"],
  ["2025-12-31T09:00:00Z", "UTC", "Wed 31 Dec 2025"],
])("%s is in %s the day called %s", (at, zone, name) => {
  expect(dayName(new Date(at), now, zone)).toBe(name);
});

describe("the start of a day", () => {
  test("is its first moment, at the start of a quarter of an hour of UTC, in every zone and on every day of a year", () => {
    const wrong = ZONES.flatMap((zone) =>
      daysBetween("2026-09-01", "2027-08-31", zone).filter(({ name, since, until }) => {
        const isFirst = localDay(since, zone) === name && localDay(new Date(+since - 1), zone) === addDays(name, -1);
        const hours = (+until - +since) / HOUR_MS;
        return !isFirst || +since % QUARTER_MS !== 0 || hours < 22 || hours > 26;
      }),
    );
    expect(wrong).toEqual([]);
  });

  test.each([
    ["Asia/Kathmandu", "2026-11-27", "2026-11-26T18:15Z", 24],
    ["Asia/Kolkata", "2026-11-27", "2026-11-26T18:30Z", 24],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00Z", 23],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00Z", 25],
    // The one zone that changes its clock by two hours.
    ["Antarctica/Troll", "2026-10-25", "2026-10-24T22:00Z", 26],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00Z", 24.5],
    // Clocks go from 24:00 to 01:00: these days begin at 01:00.
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00Z", 23],
    ["Asia/Beirut", "2026-03-29", "2026-03-28T22:00Z", 23],
    // Midnight comes twice, an hour apart, in one night.
    ["America/Havana", "2026-11-01", "2026-11-01T04:00Z", 25],
    // Samoa had no 30 December 2011.
    ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00Z", 24],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00Z", 0],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00Z", 24],
  ])("in %s of %s is %s, %d hours before the next", (zone, day, start, hours) => {
    const since = dayStart(day, zone);
    expect(since.toISOString()).toBe(new Date(start).toISOString());
    expect((+dayStart(addDays(day, 1), zone) - +since) / HOUR_MS).toBe(hours);
  });
});

describe("a message of any moment, by any zone's clock", () => {
  test("is within the limits of its own day and of no other: lists, files, costs and budgets ask for these", () => {
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const day = localDay(at, zone);
        const days = daysBetween(addDays(day, -2), addDays(day, 2), zone);
        expect(days.filter((one) => holds(one, at)).map(({ name }) => name)).toEqual([day]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is in one bar of every range that ends with it", () => {
    const ranges = fc.constantFrom<UsageRange>("24h", "7d", "14d", "30d", "90d");
    fc.assert(
      fc.property(instants, zones, ranges, fc.double({ min: 0, max: 1, noNaN: true }), (at, zone, range, share) => {
        const spans = spansOf(range, at, zone);
        const first = spans[0]?.since ?? at;
        const sent = new Date(+first + Math.floor((+at - +first) * share));
        expect(spans.filter((one) => holds(one, at))).toEqual([spans.at(-1)]);
        expect(spans.filter((one) => holds(one, sent))).toHaveLength(1);
        if (range !== "24h") expect(spans.find((one) => holds(one, sent))?.name).toBe(localDay(sent, zone));
      }),
      { numRuns: 500 },
    );
  });

  test("is called Today and Yesterday on the days that a filter of these days shows", () => {
    fc.assert(
      fc.property(instants, zones, fc.integer({ min: 0, max: 50 * HOUR_MS }), (until, zone, ago) => {
        const at = new Date(+until - ago);
        const [yesterday, today] = lastDays(2, until, zone);
        const name = dayName(at, until, zone);
        expect(name === "Today").toBe(today !== undefined && holds(today, at));
        expect(name === "Yesterday").toBe(yesterday !== undefined && holds(yesterday, at));
      }),
      { numRuns: 1_000 },
    );
  });

  test("is let in by a key until the end of the key's last day", () => {
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const day = localDay(at, zone);
        const expiresAt = expiryAfter(day, zone);
        expect(expiresAt?.toISOString()).toBe(dayStart(addDays(day, 1), zone).toISOString());
        expect(expiresAt && lastDayOf(expiresAt, zone)).toBe(day);
      }),
    );
  });
});

test("no statement computes local time: Node's zone data and the database's differ", () => {
  const sources = ["app", "lib", "db", "scripts"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => /\.tsx?$/.test(file) && statSync(file).isFile()),
  );
  const code = (file: string) => readFileSync(file, "utf8").replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const local = /at time zone (?!'utc')|date_trunc\('\w+', [^()]*(\([^()]*\)[^()]*)*, (?!'UTC')|pg_timezone/i;
  expect(sources.filter((file) => local.test(code(file)))).toEqual([]);
});
