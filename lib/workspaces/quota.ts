const DAY_MS = 86_400_000;

/** Shares of the monthly limit, in percent, at which people are notified. */
const QUOTA_MARKS = [80, 90, 100] as const;

export type QuotaMark = (typeof QUOTA_MARKS)[number];

/** The highest mark that is reached; a limit of zero is reached from the start. */
export function reachedMark(used: number, limit: number | null): QuotaMark | undefined {
  return limit === null ? undefined : QUOTA_MARKS.findLast((mark) => used * 100 >= limit * mark);
}

/** The month (UTC) that `now` is in. */
export function monthOf(now: Date): { startsAt: Date; endsAt: Date } {
  return {
    startsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())),
    endsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
  };
}

/** When a month's limit is used up, that it is enough, or that it is too early to estimate. */
export type Outlook = Date | "enough" | "tooEarly";

/**
 * When the limit is reached if the month goes on as it began. From less than a day nothing can be foreseen; a limit that
 * is reached is used up now.
 */
export function outlookOf(used: number, limit: number | null, now: Date): Outlook {
  if (limit === null) return "enough";
  if (used >= limit) return now;
  const { startsAt, endsAt } = monthOf(now);
  const passedMs = now.getTime() - startsAt.getTime();
  if (passedMs < DAY_MS) return "tooEarly";
  if (used === 0) return "enough";
  const at = new Date(startsAt.getTime() + (passedMs * limit) / used);
  return at < endsAt ? at : "enough";
}
