import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromLocalTime, LocalTime, toLocalTime } from "@/lib/core/date-format";

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
