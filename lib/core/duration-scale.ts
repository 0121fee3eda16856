// Durations are counted in logarithmic buckets, four per doubling, so that a count needs no
// list of durations and a percentile is accurate to 10 %.

export const BUCKETS_PER_DOUBLING = 4;
/** Everything above a week is one bucket. */
export const LAST_BUCKET = Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(7 * 24 * 60 * 60 * 1_000));

/** With fewer samples a percentile is not meaningful. */
export const MIN_SAMPLES = 20;

export type BucketCount = { bucket: number; count: number };

/** Returns the bucket of a duration; anything up to 1 ms, or not a number, is in the first. */
export function bucketOf(ms: number): number {
  return ms > 1 ? Math.min(LAST_BUCKET, Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(ms))) : 0;
}

/** Returns the geometric middle of a bucket, in milliseconds. */
export function durationOf(bucket: number): number {
  return bucket <= 0 ? 1 : 2 ** ((Math.min(bucket, LAST_BUCKET) - 0.5) / BUCKETS_PER_DOUBLING);
}

/** Returns the percentile of the counted durations in ms (`share` 0.95 is p95); undefined without samples. */
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

/** Formats a duration as precisely as the buckets allow: `180 ms`, `2.1 s`, `19 s`, `4 min`, `3 h`. */
export function durationWords(ms: number): string {
  if (ms < 995) return `${Number(ms.toPrecision(2))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}

/** Formats a percentile; a dash where there are too few samples to say. */
export function percentileWords(buckets: readonly BucketCount[], share: number): string {
  const ms = sampleCount(buckets) < MIN_SAMPLES ? undefined : percentileOf(buckets, share);
  return ms === undefined ? "–" : durationWords(ms);
}
