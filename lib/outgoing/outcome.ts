import type { Claimed } from "./claim-deliveries";
import type { Answer } from "./post-delivery";

/** The outcome of an attempt. */
export type Outcome = {
  state: "PENDING" | "DELIVERED" | "FAILED";
  /** Seconds until the next attempt of a pending one. */
  waitSeconds: number;
  /** Seconds for which the endpoint asked to be left alone. */
  holdSeconds: number;
  /** The endpoint returned 410 Gone. */
  isGone: boolean;
  /** The endpoint rejected this event, which does not count as a failure of the endpoint. */
  isRefused: boolean;
};

const REQUEST_TIMEOUT = 408;
const TOO_EARLY = 425;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const SERVICE_UNAVAILABLE = 503;
const GONE = 410;
/** Statuses that ask to retry later, for any event. */
const LATER = new Set([REQUEST_TIMEOUT, TOO_EARLY, TOO_MANY_REQUESTS]);

/** Any 2xx is a success; redirects are refusals like a 400. 410 keeps the delivery: a resume sends it. */
export function outcomeOf(
  { number, replayedAfter }: Pick<Claimed, "number" | "replayedAfter">,
  { statusCode, retryAfter }: Pick<Answer, "statusCode" | "retryAfter">,
  random: number,
): Outcome {
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    return { state: "DELIVERED", waitSeconds: 0, holdSeconds: 0, isGone: false, isRefused: false };
  }
  if (statusCode === GONE) return { state: "PENDING", waitSeconds: 0, holdSeconds: 0, isGone: true, isRefused: false };
  const asksToWait = statusCode === TOO_MANY_REQUESTS || statusCode === SERVICE_UNAVAILABLE;
  const asked = asksToWait ? retryAfter : undefined;
  const waitSeconds = secondsToRetry({ attempts: number - replayedAfter, retryAfter: asked, random });
  return {
    state: waitSeconds === undefined ? "FAILED" : "PENDING",
    waitSeconds: waitSeconds ?? 0,
    holdSeconds: asked ?? 0,
    isGone: false,
    isRefused: statusCode !== null && statusCode < SERVER_ERROR && !LATER.has(statusCode),
  };
}

const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between the attempts of a delivery, in seconds: 75.7 hours in all. */
export const RETRY_AFTER_SECONDS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  16 * HOUR,
  16 * HOUR,
  16 * HOUR,
] as const;

/** The longest Retry-After that is honored. */
export const LONGEST_RETRY_AFTER_SECONDS = 24 * HOUR;

/** Up to 20 % more or less, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

/** One or two failures may be due to one event; from the third on the endpoint itself is put on hold. */
const FAILURES_BEFORE_HOLD = 3;
const LONGEST_HOLD_SECONDS = 60;

type Failed = {
  /** Attempts so far, this one included, since the delivery was made or replayed. */
  attempts: number;
  /** What the response's Retry-After asked for, in seconds. */
  retryAfter?: number | undefined;
  /** From 0 to 1. */
  random: number;
};

/** Seconds until the next attempt; undefined where this was the last. */
export function secondsToRetry({ attempts, retryAfter = 0, random }: Failed): number | undefined {
  const pause = RETRY_AFTER_SECONDS[attempts - 1];
  if (pause === undefined) return undefined;
  const jittered = pause * (1 - JITTER + 2 * JITTER * random);
  return Math.max(jittered, Math.min(retryAfter, LONGEST_RETRY_AFTER_SECONDS));
}

/** Returns an endpoint's hold in seconds after consecutive failures; then one attempt probes it. */
export function secondsOfHold(failures: number): number {
  return failures < FAILURES_BEFORE_HOLD ? 0 : Math.min(LONGEST_HOLD_SECONDS, 2 ** (failures - FAILURES_BEFORE_HOLD));
}

/** A Retry-After header as seconds from `now`: a number, or a date (RFC 9110). */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  const at = value.endsWith("GMT") ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1_000));
}
