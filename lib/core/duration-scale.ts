// Durations are counted in buckets that each end a quarter of a doubling after the one before, so that a count needs no
// list of durations, and a percentile is exact within a tenth.

export const BUCKETS_PER_DOUBLING = 4;
/** Everything above a week is one bucket. */
export const LAST_BUCKET = Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(7 * 24 * 60 * 60 * 1_000));

/** Below so many durations a percentile would say more than is known. */
export const LEAST_SAMPLES = 20;

export type BucketCount = { bucket: number; count: number };

/** The bucket of a duration; what is shorter than a millisecond, or no duration at all, is in the first. */
export function bucketOf(ms: number): number {
  return ms > 1 ? Math.min(LAST_BUCKET, Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(ms))) : 0;
}

/** The middle of a bucket in milliseconds, by ratio. */
export function durationOf(bucket: number): number {
  return bucket <= 0 ? 1 : 2 ** ((Math.min(bucket, LAST_BUCKET) - 0.5) / BUCKETS_PER_DOUBLING);
}

/** The duration in milliseconds that `share` of the counted ones (0.95 is p95) do not exceed; undefined for none. */
export function percentileOf(buckets: readonly BucketCount[], share: number): number | undefined {
  const total = sampleCount(buckets);
  if (total === 0) return undefined;
  let passed = 0;
  for (const { bucket, count } of buckets.toSorted((one, other) => one.bucket - other.bucket)) {
    passed += count;
    if (passed >= share * total) return durationOf(bucket);
  }
  return undefined;
}

export function sampleCount(buckets: readonly BucketCount[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

/** `180 ms`, `2.1 s`, `19 s`, `4 min`, `3 h`: as precise as the scale is. */
export function durationWords(ms: number): string {
  if (ms < 995) return `${Number(ms.toPrecision(2))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}
