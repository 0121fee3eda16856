import fc from "fast-check";
import { expect, test } from "vitest";
import { axisEnd, SERIES, toBars, totalOf } from "@/lib/messages/usage/status-series";

const BUCKETS = ["2026-01-01", "2026-01-02", "2026-01-03"];
const SPANS = BUCKETS.map((name) => ({ name }));
const row = fc.record({
  bucket: fc.constantFrom(...BUCKETS),
  status: fc.constantFrom("PENDING", "UNKNOWN", "SENT", "FAILED", "DELIVERED", "READ"),
  count: fc.nat(10_000),
});

test("every message of the range is in exactly one part of one bar", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const bars = toBars(SPANS, rows);
      const all = rows.reduce((sum, { count }) => sum + count, 0);
      expect(bars.map(({ bucket }) => bucket)).toEqual(BUCKETS);
      expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(all);
      expect(SERIES.reduce((sum, series) => sum + totalOf(bars, series), 0)).toBe(all);
    }),
  );
});

test("no bar is higher than the axis, whose middle is a whole number, nor less than two fifths of it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (total) => {
      const end = axisEnd([{ total }]);
      expect(end).toBeGreaterThanOrEqual(total);
      expect(Number.isInteger(end / 2)).toBe(true);
      expect(end).toBeLessThanOrEqual(Math.max(4, 2.5 * total));
    }),
  );
});
