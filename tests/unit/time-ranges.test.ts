import fc from "fast-check";
import { expect, test } from "vitest";
import { clip, merge, rangesOf, type TimeRange } from "@/lib/messages/list/time-ranges";

const BUCKET_MS = 60 * 60_000;
const at = (hour: number) => new Date(Date.UTC(2026, 0, 5) + hour * BUCKET_MS);
const covers = (ranges: readonly TimeRange[], ms: number) =>
  ranges.filter(({ since, until }) => (since?.getTime() ?? -1e18) <= ms && ms < (until?.getTime() ?? 1e18)).length;

test("hours in a row are one range, in whatever order they come", () => {
  expect(rangesOf([at(3), at(1), at(2), at(7)], BUCKET_MS)).toEqual([
    { since: at(1), until: at(4) },
    { since: at(7), until: at(8) },
  ]);
  expect(rangesOf([], BUCKET_MS)).toEqual([]);
});

test("merged ranges hold the same moments, each once, oldest first", () => {
  const moment = fc.option(fc.integer({ min: 0, max: 50 }).map(at), { nil: null });
  const ranges = fc.array(
    fc.tuple(moment, moment).map(([since, until]): TimeRange => {
      const isTurned = since && until && since > until;
      return isTurned ? { since: until, until: since } : { since, until };
    }),
  );
  fc.assert(
    fc.property(ranges, fc.integer({ min: -5, max: 60 * 4 }), (given, quarter) => {
      const ms = at(quarter / 4).getTime();
      const merged = merge(given);
      expect(covers(merged, ms)).toBe(Math.min(1, covers(given, ms)));
      expect(merged.slice(1).every((range) => range.since !== null)).toBe(true);
    }),
  );
});

test("clipped ranges hold what lies beyond the moment, and the moment itself", () => {
  const ranges = [
    { since: null, until: at(1) },
    { since: at(2), until: at(4) },
    { since: at(6), until: null },
  ];
  const moment = at(3);
  const next = new Date(moment.getTime() + 1);
  expect(clip(ranges, "older", moment)).toEqual([ranges[0], { since: at(2), until: next }]);
  expect(clip(ranges, "newer", moment)).toEqual([{ since: moment, until: at(4) }, ranges[2]]);
});
