import fc from "fast-check";
import { expect, test } from "vitest";
import { localDay } from "@/lib/core/local-time";
import { type DaySpan, localDaysOf, spansAfter } from "@/lib/messages/usage/day-spans";
import { timeZoneNames } from "@/lib/workspaces/workspace-fields";

const QUARTER_MS = 15 * 60_000;
const FIRST_MS = Date.UTC(2026, 9, 20);
const of = { workspaceId: "ws_a", mode: "live" } as const;
const spanOf = (from: number, to: number): DaySpan => ({
  ...of,
  startsAt: new Date(FIRST_MS + from * QUARTER_MS),
  endsAt: new Date(FIRST_MS + to * QUARTER_MS),
});
const holders = (spans: readonly DaySpan[], at: Date) => spans.filter((one) => one.startsAt <= at && at < one.endsAt);

// A year's quarter of an hour that a message falls into, and the zone that the workspace has when it is counted.
const counts = fc.array(
  fc.record({
    quarter: fc.nat(3_000),
    zone: fc.constantFrom(...timeZoneNames()),
    mode: fc.constantFrom("live", "test"),
  }),
  { maxLength: 30 },
);

test("spans hold every counted quarter once, whatever zones a workspace has had, and the last day whole", () => {
  fc.assert(
    fc.property(counts, (all) => {
      let spans: DaySpan[] = [];
      const counted: { at: Date; mode: "live" | "test" }[] = [];
      for (const { quarter, zone, mode } of all) {
        const at = new Date(FIRST_MS + quarter * QUARTER_MS);
        counted.push({ at, mode: mode as "live" });
        const one = { ...of, mode: mode as "live", startsAt: at, endsAt: new Date(+at + 1) };
        const days = localDaysOf(one, zone);
        expect(days.map(({ startsAt }) => localDay(startsAt, zone))).toEqual([localDay(at, zone)]);
        const overlapped = spans.filter(
          (span) => span.mode === mode && days.some((day) => span.startsAt < day.endsAt && span.endsAt > day.startsAt),
        );
        spans = [...spans.filter((span) => !overlapped.includes(span)), ...spansAfter(overlapped, days)];
        expect(spans).toEqual(expect.arrayContaining(days));
      }
      for (const { at, mode } of counted)
        expect(
          holders(
            spans.filter((span) => span.mode === mode),
            at,
          ),
        ).toHaveLength(1);
      for (const mode of ["live", "test"]) {
        const sorted = spans.filter((span) => span.mode === mode).toSorted((a, b) => +a.startsAt - +b.startsAt);
        for (const [i, span] of sorted.slice(1).entries())
          expect(+span.startsAt >= +(sorted[i]?.endsAt ?? 0)).toBe(true);
      }
    }),
  );
});

test("a day cuts what it overlaps, and leaves another workspace's and mode's spans", () => {
  const other = { ...spanOf(0, 96), workspaceId: "ws_b" };
  expect(spansAfter([spanOf(0, 96), spanOf(96, 192), other], [spanOf(4, 100)])).toEqual([
    spanOf(4, 100),
    spanOf(0, 4),
    spanOf(100, 192),
    other,
  ]);
});
