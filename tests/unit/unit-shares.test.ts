import fc from "fast-check";
import { expect, test } from "vitest";
import { anySlot, SHARES, unitsPerShare } from "@/lib/workspaces/unit-shares";

test("half of what is left stays with the month, and a share is worth its dealing or nothing", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_000_000, max: 2_000_000_000 }), (left) => {
      const units = unitsPerShare(left);
      expect(units * SHARES).toBeLessThanOrEqual(Math.max(0, left) / 2);
      expect(units === 0 || (units >= 8 && units <= 256)).toBe(true);
    }),
  );
});

test.each([
  [0, 0],
  [255, 0],
  [256, 8],
  [1_000, 31],
  [100_000, 256],
  [Number.POSITIVE_INFINITY, 256],
])("of %d units left a share gets %d", (left, units) => {
  expect(unitsPerShare(left)).toBe(units);
});

test("claims take from every share, and from none under a limit that has no shares", () => {
  const taken = Array.from({ length: 1_000 }, () => anySlot(null));
  expect(new Set(taken)).toEqual(new Set(Array.from({ length: SHARES }, (_, slot) => slot)));
  expect(anySlot(255)).toBeNull();
  expect(anySlot(256)).not.toBeNull();
});
