const DAY_MS = 86_400_000;

/** Shares of the monthly limit, in percent, at which people are told. */
const QUOTA_MARKS = [80, 90, 100] as const;

export type QuotaMark = (typeof QUOTA_MARKS)[number];

/** The highest mark that is reached; a limit of zero is reached from the start. */
export const reachedMark = (used: number, limit: number | null): QuotaMark | undefined =>
  limit === null ? undefined : QUOTA_MARKS.findLast((mark) => used * 100 >= limit * mark);

/** The month (UTC) that `now` is in. */
export const monthOf = (now: Date): { startsAt: Date; endsAt: Date } => ({
  startsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())),
  endsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
});

/**
 * When the limit is used up if the month goes on as it began; undefined where that is not before its end, or where less
 * than a day has passed, from which nothing can be foreseen.
 */
export const exhaustedAt = (used: number, limit: number | null, now: Date): Date | undefined => {
  const { startsAt, endsAt } = monthOf(now);
  const passedMs = now.getTime() - startsAt.getTime();
  if (limit === null || used === 0 || used >= limit || passedMs < DAY_MS) return undefined;
  const at = new Date(startsAt.getTime() + (passedMs * limit) / used);
  return at < endsAt ? at : undefined;
};
