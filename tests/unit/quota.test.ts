import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPlan, monthlyLimit, PLANS } from "@/lib/core/principal";
import { monthOf, outlookOf, reachedMark } from "@/lib/limits/quota";

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
    expect(outlookOf(500, 1_000, NOW)).toEqual(new Date("2026-01-30T00:00:00Z"));
  });

  test("cannot be known on the first day, however much is used, and can from the second on", () => {
    const [evening, midnight] = [new Date("2026-01-01T20:00:00Z"), new Date("2026-01-02T00:00:00Z")];
    for (const used of [0, 1, 970, 999]) expect(outlookOf(used, 1_000, evening)).toBe("tooEarly");
    expect(outlookOf(970, 1_000, midnight)).toEqual(new Date(Date.UTC(2026, 0, 1) + 86_400_000 / 0.97));
    expect(outlookOf(10, 1_000, midnight)).toBe("enough");
  });

  test("is not before the month's end without much use, and never without a limit", () => {
    expect(outlookOf(0, 1_000, NOW)).toBe("enough");
    expect(outlookOf(400, 1_000, NOW)).toBe("enough");
    for (const now of [NOW, new Date("2026-01-01T20:00:00Z")]) expect(outlookOf(500, null, now)).toBe("enough");
  });

  test("is now where the limit is reached, on the first day, too", () => {
    for (const now of [NOW, new Date("2026-01-01T20:00:00Z")]) {
      expect(outlookOf(1_000, 1_000, now)).toBe(now);
      expect(outlookOf(0, 0, now)).toBe(now);
    }
  });

  test("is never in the past, and never after the month", () => {
    fc.assert(
      fc.property(
        fc.nat(2_000),
        fc.nat(2_000),
        fc.date({ noInvalidDate: true, max: new Date("9999-12-31") }),
        (used, limit, now) => {
          const outlook = outlookOf(used, limit, now);
          if (!(outlook instanceof Date)) return;
          expect(outlook.getTime()).toBeGreaterThanOrEqual(now.getTime());
          expect(outlook.getTime()).toBeLessThan(monthOf(now).endsAt.getTime());
        },
      ),
    );
  });
});

test("a workspace's own limit holds under every plan, above or below it, even when it is zero", () => {
  for (const plan of Object.keys(PLANS).filter(isPlan)) {
    expect(monthlyLimit(plan, 0)).toBe(0);
    expect(monthlyLimit(plan, 250_000)).toBe(250_000);
  }
});

test("only the plans of the table are plans", () => {
  expect(isPlan("growth")).toBe(true);
  expect(isPlan("Growth")).toBe(false);
  expect(isPlan("toString")).toBe(false);
});
