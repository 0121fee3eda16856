import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { localDay } from "@/lib/core/local-time";
import {
  firstDayOf,
  formatBucket,
  ignoredFiltersNote,
  readUsageFilters,
  spansOf,
} from "@/lib/messages/usage/usage-range";

const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe"];

const namesOf = (...range: Parameters<typeof spansOf>) => spansOf(...range).map(({ name }) => name);

describe("days", () => {
  test.each([
    ["2026-01-15T22:30:00Z", "2026-01-15"],
    ["2026-01-15T23:30:00Z", "2026-01-16"],
    ["2026-07-15T22:30:00Z", "2026-07-16"],
  ])("%s is %s in Berlin", (at, day) => expect(localDay(new Date(at), "Europe/Berlin")).toBe(day));

  test("of 23 and 25 hours are one bar like any other", () => {
    const spring = namesOf("7d", new Date("2026-03-31T12:00:00Z"), "Europe/Berlin");
    expect(spring).toEqual(["25", "26", "27", "28", "29", "30", "31"].map((day) => `2026-03-${day}`));
    const autumn = namesOf("7d", new Date("2026-10-26T00:30:00Z"), "Europe/Berlin");
    expect(autumn).toEqual(["20", "21", "22", "23", "24", "25", "26"].map((day) => `2026-10-${day}`));
  });

  test("end with today, without a gap, in every zone", () => {
    const instant = fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });
    fc.assert(
      fc.property(instant, fc.constantFrom(...ZONES), (now, zone) => {
        const days = namesOf("30d", now, zone);
        expect(days.at(-1)).toBe(localDay(now, zone));
        expect(new Set(days).size).toBe(30);
        expect(days).toEqual(days.toSorted());
      }),
    );
  });
});

test("hours begin at the full hours of the workspace's clock", () => {
  const hours = namesOf("24h", new Date("2026-01-15T12:10:00Z"), "Asia/Kolkata");
  expect(hours).toHaveLength(24);
  expect(new Date(Number(hours.at(-1))).toISOString()).toBe("2026-01-15T11:30:00.000Z");
  expect(formatBucket(hours.at(-1) ?? "", "24h", "Asia/Kolkata")).toBe("17:00");
});

test("the first day of a range is that of its first bar, also of one of hours", () => {
  const now = new Date("2026-01-15T11:45:00Z");
  expect(firstDayOf("7d", now, "Asia/Kolkata")).toBe("2026-01-09");
  expect(firstDayOf("24h", now, "Asia/Kolkata")).toBe("2026-01-14");
  expect(firstDayOf("24h", new Date("2026-01-15T23:10:00Z"), "UTC")).toBe("2026-01-15");
});

test("an address with nothing valid shows 14 days as a chart", () => {
  expect(readUsageFilters({ range: "1y", line: "x'", key: ["a", "b"], view: 3 }, "owner")).toEqual({
    range: "14d",
    view: "chart",
  });
});

test.each([
  [{}, ["line", "key"], ""],
  [{ line: "pn_a" }, ["line"], ", of all lines"],
  [{ key: "key_a" }, ["line"], ""],
  [{ key: "key_a" }, ["line", "key"], ", of all keys"],
  [{ line: "pn_a", key: "key_a" }, ["line", "key"], ", of all lines and keys"],
] as const)("numbers that %o cannot narrow by %o say%s", (chosen, names, words) =>
  expect(ignoredFiltersNote({ range: "7d", view: "chart", ...chosen }, names)).toBe(words),
);
