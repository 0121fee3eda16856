import fc from "fast-check";
import { expect, test } from "vitest";
import { axisEnd, SERIES, toBars, totalsOf } from "@/lib/usage/status-series";

const BUCKETS = ["2026-01-01", "2026-01-02", "2026-01-03"];
const row = fc.record({
  bucket: fc.constantFrom(...BUCKETS),
  status: fc.constantFrom("PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"),
  count: fc.nat(10_000),
});

test("every message of the range is in exactly one part of one bar", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const bars = toBars(BUCKETS, rows);
      const all = rows.reduce((sum, { count }) => sum + count, 0);
      expect(bars.map(({ bucket }) => bucket)).toEqual(BUCKETS);
      expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(all);
      expect(SERIES.reduce((sum, series) => sum + totalsOf(bars)[series], 0)).toBe(all);
    }),
  );
});

test("no bar is higher than the axis, and the axis no more than two and a half times the highest bar", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10_000_000 }), (total) => {
      const end = axisEnd([{ bucket: "", counts: totalsOf([]), total }]);
      expect(end).toBeGreaterThanOrEqual(total);
      expect(end).toBeLessThanOrEqual(Math.max(4, 2.5 * total));
    }),
  );
});
