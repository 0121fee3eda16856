import type { PendingQuery, Row, Sql } from "postgres";
import { AppError, WHO_LIMITS_KEYS } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";

const DAY_MS = 86_400_000;

/** Percentages of the monthly limit at which a warning is shown. */
const QUOTA_MARKS = [80, 90, 100] as const;

export type QuotaMark = (typeof QUOTA_MARKS)[number];

/** Returns the highest mark reached; a limit of zero is always reached. */
export function reachedMark(used: number, limit: number | null): QuotaMark | undefined {
  return limit === null ? undefined : QUOTA_MARKS.findLast((mark) => used * 100 >= limit * mark);
}

/** Returns the month (UTC) of `now`. */
export function monthOf(now: Date): { startsAt: Date; endsAt: Date } {
  return {
    startsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())),
    endsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
  };
}

/** When the monthly limit will be used up, that it is enough, or that it is too early to estimate. */
export type Outlook = Date | "enough" | "tooEarly";

/**
 * Estimates when the limit is reached at the month's rate so far. Less than a day is too early to tell; a limit that
 * is already reached is used up now.
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

const whoRaisesIt = () =>
  env().ALLOW_OWNER_PLANS ? "Ask a workspace owner to raise the plan." : "Ask the operator of this server to raise it.";

/** The 402 with what the workspace has used of which limit, and when the next month (UTC) begins. */
export function planLimitReached(details: { limit: number; used: number; resetsAt: string }): AppError {
  return new AppError(
    "PLAN_LIMIT_EXCEEDED",
    `Monthly message limit reached: ${details.used} of ${details.limit}, resets ${details.resetsAt}. Nothing was sent. ${whoRaisesIt()}`,
    { details: { ...details, retryable: false } },
  );
}

/** The 402 of a key that has sent as many messages this month as its own cap allows. */
export function keyCapReached(details: { limit: number; used: number; resetsAt: string }): AppError {
  return new AppError(
    "PLAN_LIMIT_EXCEEDED",
    `Monthly cap of this key reached: ${details.used} of ${details.limit}, resets ${details.resetsAt}. Nothing was sent. ${WHO_LIMITS_KEYS}`,
    { details: { ...details, reason: "monthly_cap", retryable: false } },
  );
}

/** The first day of the current month in UTC, by which quotas are counted. */
export function thisMonth(sql: Sql): PendingQuery<Row[]> {
  return sql`date_trunc('month', now() at time zone 'utc')::date`;
}

/** For the transaction of a first limit, which counts the month's messages. */
export const WITH_TIME_TO_COUNT = { pool: "records", timeoutMs: 25_000 } as const;
