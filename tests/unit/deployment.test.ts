import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certainSkewMs, judgeSkew } from "@/lib/operations/ask-address";

describe("the skew of two clocks", () => {
  const instant = fc.integer({ min: 0, max: 4e12 });
  const duration = fc.integer({ min: 0, max: 60_000 });

  test("clocks that agree are never said to differ, however slow the way and however coarse the other one", () => {
    fc.assert(
      fc.property(instant, duration, duration, fc.constantFrom(0, 1_000), (askedAtMs, there, back, grainMs) => {
        const otherMs = askedAtMs + there;
        const shownMs = grainMs ? Math.floor(otherMs / grainMs) * grainMs : otherMs;
        const asked = { askedAtMs, answeredAtMs: askedAtMs + there + back };
        expect(Math.abs(certainSkewMs(asked, shownMs, grainMs))).toBe(0);
      }),
    );
  });

  test("a real difference is never overstated, and understated by the way and the grain at most", () => {
    fc.assert(
      fc.property(
        instant,
        duration,
        duration,
        fc.integer({ min: -1e8, max: 1e8 }),
        (askedAtMs, there, back, skewMs) => {
          const asked = { askedAtMs, answeredAtMs: askedAtMs + there + back };
          const found = certainSkewMs(asked, askedAtMs + there + skewMs);
          expect(Math.abs(found)).toBeLessThanOrEqual(Math.abs(skewMs));
          expect(Math.abs(found)).toBeGreaterThanOrEqual(Math.abs(skewMs) - there - back);
        },
      ),
    );
  });

  test.each([
    [2_000, "passed"],
    [-2_001, "warning"],
    [60_000, "warning"],
    [-60_001, "failed"],
  ])("%d ms is %s", (skewMs, state) => {
    expect(judgeSkew("platform clock", "WhatsApp’s", skewMs).state).toBe(state);
  });
});
