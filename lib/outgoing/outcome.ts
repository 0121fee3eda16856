import type { Claimed } from "./claim-deliveries";
import type { Answer } from "./post-delivery";
import { secondsToRetry } from "./retry-schedule";

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
