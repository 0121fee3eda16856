/** From `since` on, before `until`; null is without an end. */
export type TimeRange = { since: Date | null; until: Date | null };

/** Returns the ranges covered by counts of `lengthMs` with these start times, merged, oldest first. */
export function rangesOf(beginnings: readonly Date[], lengthMs: number): TimeRange[] {
  return merge(beginnings.map((since) => ({ since, until: new Date(since.getTime() + lengthMs) })));
}

/** Merges overlapping ranges, oldest first. */
export function merge(ranges: readonly TimeRange[]): TimeRange[] {
  const merged: TimeRange[] = [];
  for (const range of ranges.toSorted((a, b) => startOf(a) - startOf(b))) {
    const last = merged.at(-1);
    if (last && startOf(range) <= endOf(last)) last.until = endOf(range) > endOf(last) ? range.until : last.until;
    else merged.push({ ...range });
  }
  return merged;
}

/** Clips ranges to one side of a time, inclusive, because several messages may share it. */
export function clip(ranges: readonly TimeRange[], direction: "older" | "newer", at: Date): TimeRange[] {
  const next = new Date(at.getTime() + 1);
  const clipped = ranges.map((range): TimeRange => {
    if (direction === "older") return endOf(range) > next.getTime() ? { ...range, until: next } : range;
    return startOf(range) < at.getTime() ? { ...range, since: at } : range;
  });
  return clipped.filter((range) => startOf(range) < endOf(range));
}

const startOf = ({ since }: TimeRange) => since?.getTime() ?? Number.NEGATIVE_INFINITY;
const endOf = ({ until }: TimeRange) => until?.getTime() ?? Number.POSITIVE_INFINITY;
