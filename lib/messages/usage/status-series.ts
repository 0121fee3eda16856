import type { MessageStatus } from "@/db/schema/messages";

/** From bottom to top of a bar; PENDING includes UNKNOWN. */
export const SERIES = ["PENDING", "SENT", "DELIVERED", "READ", "FAILED"] as const;

export type Series = (typeof SERIES)[number];

export type Bar<Id extends string = Series> = { bucket: string; counts: Record<Id, number>; total: number };

/** Returns a bar for every bucket, including empty ones. */
export function toBars(
  buckets: readonly { name: string }[],
  rows: readonly { bucket: string; status: MessageStatus; count: number }[],
): Bar[] {
  const bars = new Map(buckets.map(({ name }) => [name, { bucket: name, counts: { ...NOTHING }, total: 0 }]));
  for (const { bucket, status, count } of rows) {
    const bar = bars.get(bucket);
    if (!bar) continue;
    bar.counts[status === "UNKNOWN" ? "PENDING" : status] += count;
    bar.total += count;
  }
  return [...bars.values()];
}

/** Returns how many messages of all bars are in one part. */
export function totalOf<Id extends string>(bars: readonly Bar<Id>[], id: Id): number {
  return bars.reduce((sum, { counts }) => sum + counts[id], 0);
}

/** Rounds the highest bar up to 1, 2, 4, 6 or 8 times a power of ten, at least 4, so that its half is whole. */
export function axisEnd(bars: readonly Pick<Bar, "total">[]): number {
  const most = Math.max(...bars.map(({ total }) => total), 1);
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= most) ?? 10;
  return Math.max(4, step * power);
}

const NOTHING: Record<Series, number> = { PENDING: 0, SENT: 0, DELIVERED: 0, READ: 0, FAILED: 0 };
