import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dateFormat, fromLocalTime, LocalTime, timeAgo, toLocalTime } from "@/lib/core/local-time";

test("a moment is reported by the clock and in the form asked for, also after another zone's", () => {
  const at = new Date("2026-09-30T22:05:06Z");
  const reported = (timeZone: string) => [
    dateFormat({ timeZone, dateStyle: "medium" }).format(at),
    dateFormat({ timeZone, timeStyle: "medium" }).format(at),
  ];
  expect(reported("Europe/Berlin")).toEqual(["1 Oct 2026", "00:05:06"]);
  expect(reported("America/New_York")).toEqual(["30 Sept 2026", "18:05:06"]);
  expect(reported("Europe/Berlin")).toEqual(["1 Oct 2026", "00:05:06"]);
});

const now = new Date("2026-03-29T12:00:00Z");
const before = (ms: number) => timeAgo(new Date(now.getTime() - ms), now);

test.each([
  [0, "just now"],
  [59_999, "just now"],
  [60_000, "1 minute ago"],
  [3_599_999, "59 minutes ago"],
  [3_600_000, "1 hour ago"],
  [86_400_000 * 40, "40 days ago"],
  [-5_000, "just now"],
])("%i ms ago", (ms, words) => {
  expect(before(ms)).toBe(words);
});

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Australia/Lord_Howe"];

describe("a time by a workspace's clock", () => {
  test("is the moment at which the clock shows it, on the days on which clocks are changed, too", () => {
    const minutes = fc.integer({ min: Date.UTC(2024, 0) / 60_000, max: Date.UTC(2028, 0) / 60_000 });
    fc.assert(
      fc.property(minutes, fc.constantFrom(...ZONES), (minute, zone) => {
        const local = toLocalTime(new Date(minute * 60_000), zone);
        expect(toLocalTime(fromLocalTime(local, zone), zone)).toBe(local);
      }),
    );
    expect(fromLocalTime("2026-03-29T04:00", "Europe/Berlin").toISOString()).toBe("2026-03-29T02:00:00.000Z");
    expect(fromLocalTime("2026-03-29T00:30", "Europe/Berlin").toISOString()).toBe("2026-03-28T23:30:00.000Z");
  });

  test("that is shown twice is the first or the last of the two, and one that is skipped comes after the change", () => {
    const of = (local: string, which: "first" | "last") =>
      fromLocalTime(local, "Australia/Lord_Howe", which).toISOString();
    // The clocks go back by half an hour at 02:00 on 2026-04-05, and forward at 02:00 on 2026-10-04.
    expect(of("2026-04-05T01:45", "first")).toBe("2026-04-04T14:45:00.000Z");
    expect(of("2026-04-05T01:45", "last")).toBe("2026-04-04T15:15:00.000Z");
    expect(of("2026-10-04T02:15", "first")).toBe("2026-10-03T15:45:00.000Z");
  });

  test.each(["", "now", "2026-11-24", "2026-13-41T99:99", "0002-01-01T00:00", "2026-11-24T10:00Z"])(
    "is not %j",
    (given) => {
      expect(LocalTime.safeParse(given).success).toBe(false);
    },
  );

  test("is read to the minute", () => {
    expect(LocalTime.parse("2026-11-24T10:05:59.123")).toBe("2026-11-24T10:05");
  });
});
