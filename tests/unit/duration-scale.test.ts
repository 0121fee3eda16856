import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bucketOf, durationOf, durationWords, percentileOf, sampleCount } from "@/lib/core/duration-scale";

const DAY_MS = 24 * 60 * 60 * 1_000;
const duration = fc.double({ min: 0, max: 7 * DAY_MS, noNaN: true });

const bucketsOf = (durations: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const ms of durations) counts.set(bucketOf(ms), (counts.get(bucketOf(ms)) ?? 0) + 1);
  return [...counts].map(([bucket, count]) => ({ bucket, count }));
};

describe("a bucket", () => {
  test("is reported within a tenth of the duration", () => {
    fc.assert(
      fc.property(fc.double({ min: 1.001, max: 7 * DAY_MS, noNaN: true }), (ms) => {
        expect(durationOf(bucketOf(ms)) / ms).toBeGreaterThan(0.9);
        expect(durationOf(bucketOf(ms)) / ms).toBeLessThan(1.1);
      }),
    );
  });

  test("never falls while the duration grows", () => {
    fc.assert(
      fc.property(duration, duration, (one, other) => {
        expect(bucketOf(Math.min(one, other))).toBeLessThanOrEqual(bucketOf(Math.max(one, other)));
      }),
    );
  });

  test.each([-1, 0, 0.4, Number.NaN])("of %s ms is the first", (ms) => expect(bucketOf(ms)).toBe(0));

  test("of a year is that of a week", () => expect(bucketOf(365 * DAY_MS)).toBe(bucketOf(7 * DAY_MS)));
});

describe("a percentile", () => {
  test("is within a tenth of the one of the durations themselves, in whatever order the buckets come", () => {
    const some = fc.array(fc.double({ min: 1.001, max: DAY_MS, noNaN: true }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(some, fc.constantFrom(0.5, 0.95, 0.99), (durations, share) => {
        const sorted = durations.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const reported = percentileOf(bucketsOf(durations).toReversed(), share) ?? 0;
        expect(reported / exact).toBeGreaterThan(0.9);
        expect(reported / exact).toBeLessThan(1.1);
      }),
    );
  });

  test("of nothing is nothing", () => expect(percentileOf([], 0.5)).toBeUndefined());

  test("counts every duration", () => {
    fc.assert(
      fc.property(fc.array(duration), (some) => {
        expect(sampleCount(bucketsOf(some))).toBe(some.length);
      }),
    );
  });
});

test.each([
  [0.5, "0.5 ms"],
  [183.4, "180 ms"],
  [994, "990 ms"],
  [996, "1.0 s"],
  [2_130, "2.1 s"],
  [19_400, "19 s"],
  [119_000, "119 s"],
  [240_000, "4 min"],
  [3 * 3_600_000, "3 h"],
])("%s ms are %s", (ms, words) => expect(durationWords(ms)).toBe(words));
