import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, localDay } from "@/lib/core/local-time";
import {
  costBucketsOf,
  costPeriodOf,
  costRanges,
  costScopeOf,
  formatCostBucket,
  readCostFilters,
} from "@/lib/costs/cost-range";

const NOW = new Date("2026-03-01T02:30:00Z");
/** Ahead of UTC and behind it, with clock changes at midnight, by half an hour, and a day that was skipped. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "America/Santiago",
  "Australia/Lord_Howe",
];

const read = (query: Record<string, string>) => readCostFilters(query, "owner");
const periodOf = (query: Record<string, string>, now = NOW, zone = "UTC") => costPeriodOf(read(query), now, zone);
const scopeOf = (period: { first: string; last: string }, zone: string) =>
  costScopeOf({}, { mode: "live", timeZone: zone, ...period });

describe("a period", () => {
  test.each([
    [{}, "2026-03-01", "2026-03-01", "March 2026 so far", "1 February 2026"],
    [{ range: "2026-02" }, "2026-02-01", "2026-02-28", "February 2026", "January 2026"],
    [{ range: "2026-01" }, "2026-01-01", "2026-01-31", "January 2026", "December 2025"],
    [{ range: "2026-09" }, "2026-03-01", "2026-03-01", "March 2026 so far", "1 February 2026"],
    [{ range: "7d" }, "2026-02-23", "2026-03-01", "last 7 days", "the 7 days before"],
    [{ range: "12m" }, "2025-04-01", "2026-03-01", "last 12 months", "the 335 days before"],
    [
      { from: "2026-01-30", to: "2026-02-02" },
      "2026-01-30",
      "2026-02-02",
      "30 January – 2 February 2026",
      "the 4 days before",
    ],
    [
      { from: "2026-02-02", to: "2026-01-30" },
      "2026-01-30",
      "2026-02-02",
      "30 January – 2 February 2026",
      "the 4 days before",
    ],
    [{ from: "2026-02-02", to: "2026-02-02" }, "2026-02-02", "2026-02-02", "2 February 2026", "the day before"],
    [{ range: "dates" }, "2026-03-01", "2026-03-01", "1 March 2026", "the day before"],
    [
      { range: "dates", from: "2026-02-02" },
      "2026-02-02",
      "2026-03-01",
      "2 February – 1 March 2026",
      "the 28 days before",
    ],
    [{ range: "dates", to: "2026-02-12" }, "2026-02-01", "2026-02-12", "1 – 12 February 2026", "the 12 days before"],
    [{ from: "2999-01-01", to: "2999-02-01" }, "2026-03-01", "2026-03-01", "1 March 2026", "the day before"],
    [
      { from: "2000-01-01", to: "2026-02-28" },
      "2024-02-29",
      "2026-02-28",
      "29 February 2024 – 28 February 2026",
      "the 731 days before",
    ],
  ])("of %o is %s until %s, %s, compared with %s", (query, first, last, words, before) => {
    const period = periodOf(query);
    expect([period.first, period.last, period.words, period.before.words]).toEqual([first, last, words, before]);
  });

  test("of a month that is not over is compared with as much of the month before, and with all of it", () => {
    const { before, wholeBefore } = periodOf({}, new Date("2026-03-30T12:00:00Z"));
    expect(before).toEqual({ first: "2026-02-01", last: "2026-02-28", words: "1 – 28 February 2026" });
    expect(wholeBefore).toMatchObject({ first: "2026-02-01", last: "2026-02-28", words: "February 2026" });
    expect(periodOf({ range: "2026-02" }).wholeBefore).toBeUndefined();
  });

  test("is by the workspace's clock", () => {
    expect(periodOf({}, NOW, "America/New_York")).toMatchObject({ first: "2026-02-01", last: "2026-02-28" });
    expect(periodOf({}, new Date("2026-02-28T12:00:00Z"), "Pacific/Kiritimati")).toMatchObject({ first: "2026-03-01" });
  });
});

const instant = fc.date({ min: new Date("2011-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });

test("months tile: each begins with the instant at which the one before ends, and its days fill it", () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(...ZONES), (now, zone) => {
      const months = costRanges(now, zone)
        .filter(({ value }) => /^2\d{3}-/.test(value))
        .map(({ value }) => value);
      expect(months).toHaveLength(13);
      const spans = ["month", ...months].map((range) => scopeOf(periodOf({ range }, now, zone), zone).days);
      for (const [at, days] of spans.entries()) {
        for (const [i, day] of days.entries()) expect(days[i + 1]?.since ?? day.until).toEqual(day.until);
        const later = spans[at - 1];
        if (later) expect(days.at(-1)?.until).toEqual(later[0]?.since);
        expect(new Set(days.map(({ name }) => name.slice(0, 7))).size).toBe(1);
      }
    }),
    { numRuns: 40 },
  );
});

test("a period ends today at the latest, is read in bars without a gap, and follows what it is compared with", () => {
  const day = fc.option(
    instant.map((at) => at.toISOString().slice(0, 10)),
    { nil: undefined },
  );
  const query = fc.record({
    range: fc.constantFrom("month", "2020-02", "7d", "30d", "90d", "12m", "dates"),
    from: day,
    to: day,
  });
  fc.assert(
    fc.property(query, instant, fc.constantFrom(...ZONES), ({ range, ...days }, now, zone) => {
      const period = periodOf({ range, ...JSON.parse(JSON.stringify(days)) }, now, zone);
      const today = localDay(now, zone);
      if (range === "2020-02" && today < "2020-02") return;
      expect(period.first <= period.last && period.last <= today).toBe(true);
      const scope = scopeOf(period, zone);
      const buckets = costBucketsOf(scope);
      expect(buckets).toEqual(buckets.toSorted());
      expect(buckets.length).toBeLessThanOrEqual(92);
      expect([scope.days[0]?.name, scope.days.at(-1)?.name]).toEqual([period.first, period.last]);
      expect(scope.days.length).toBeLessThanOrEqual(731);
      expect(period.before.last < period.first).toBe(true);
      if (!period.wholeBefore) expect(addDays(period.before.last, 1)).toBe(period.first);
    }),
    { numRuns: 40 },
  );
});

test("the filters are those of the address, and what it says wrongly counts as absent", () => {
  expect(read({})).toMatchObject({ range: "month", view: "chart" });
  expect(read({ range: "24h", line: "pn_1", view: "x", from: "soon" })).toMatchObject({ range: "month", line: "pn_1" });
  expect(read({ range: "30d", from: "2026-01-01" })).toEqual({ range: "30d", view: "chart" });
  expect(read({ from: "2026-01-01" })).toMatchObject({ range: "dates", from: "2026-01-01" });
  expect(readCostFilters({ key: "key_1" }, "member").key).toBeUndefined();
  expect(costRanges(NOW, "UTC").slice(0, 2)).toEqual([
    { value: "month", word: "This month" },
    { value: "2026-02", word: "Last month" },
  ]);
  expect(costRanges(NOW, "UTC").at(-1)).toEqual({ value: "2025-02", word: "February 2025" });
});

test("bars are days, and months of more than a quarter", () => {
  expect(costBucketsOf(scopeOf({ first: "2026-01-01", last: "2026-04-02" }, "UTC"))).toHaveLength(92);
  expect(costBucketsOf(scopeOf({ first: "2025-02-01", last: "2026-03-01" }, "UTC"))).toHaveLength(14);
  expect(["2026-03-01", "2026-03"].map(formatCostBucket)).toEqual(["1 Mar", "Mar 2026"]);
});
