import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exhaustedAt, monthOf, reachedMark } from "@/lib/plans/quota";

const NOW = new Date("2026-01-15T12:00:00Z");

test.each([
  [0, 1_000, undefined],
  [799, 1_000, undefined],
  [800, 1_000, 80],
  [900, 1_000, 90],
  [999, 1_000, 90],
  [1_000, 1_000, 100],
  [1_001, 1_000, 100],
  [0, 0, 100],
  [5_000_000, null, undefined],
])("%s of %s has reached %s", (used, limit, mark) => expect(reachedMark(used, limit)).toBe(mark));

test("a month begins and ends by UTC, over the year's end, too", () => {
  expect(monthOf(new Date("2026-12-31T23:59:59Z"))).toEqual({
    startsAt: new Date("2026-12-01T00:00:00Z"),
    endsAt: new Date("2027-01-01T00:00:00Z"),
  });
});

describe("when the limit will be used up", () => {
  test("is a straight line from the beginning of the month", () => {
    // 14.5 days for 500, so as many again for the other 500.
    expect(exhaustedAt(500, 1_000, NOW)).toEqual(new Date("2026-01-30T00:00:00Z"));
  });

  test("is unknown on the first day, without use, without a limit, and beyond it", () => {
    expect(exhaustedAt(500, 1_000, new Date("2026-01-01T12:00:00Z"))).toBeUndefined();
    expect(exhaustedAt(0, 1_000, NOW)).toBeUndefined();
    expect(exhaustedAt(500, null, NOW)).toBeUndefined();
    expect(exhaustedAt(1_000, 1_000, NOW)).toBeUndefined();
  });

  test("is never in the past, and never after the month", () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(2_000), fc.date({ noInvalidDate: true }), (used, limit, now) => {
        const at = exhaustedAt(used, limit, now);
        if (!at) return;
        expect(at.getTime()).toBeGreaterThanOrEqual(now.getTime());
        expect(at.getTime()).toBeLessThan(monthOf(now).endsAt.getTime());
      }),
    );
  });
});
