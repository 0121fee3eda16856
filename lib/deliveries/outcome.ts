import type { Claimed } from "./claim-deliveries";
import type { Answer } from "./post-delivery";
import { secondsToRetry } from "./retry-schedule";

/** What an attempt came to. */
export type Outcome = {
  state: "PENDING" | "DELIVERED" | "FAILED";
  /** Seconds until the next attempt of a pending one. */
  waitSeconds: number;
  /** Seconds for which the endpoint asked to be left alone. */
  holdSeconds: number;
  /** The endpoint said that it is gone for good. */
  isGone: boolean;
};

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;
const GONE = 410;

/** Any 2xx is a success; redirects are failures like every other status. 410 keeps the delivery: a resume sends it. */
export const outcomeOf = (
  { number, replayedAfter }: Pick<Claimed, "number" | "replayedAfter">,
  { statusCode, retryAfter }: Pick<Answer, "statusCode" | "retryAfter">,
  random: number,
): Outcome => {
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    return { state: "DELIVERED", waitSeconds: 0, holdSeconds: 0, isGone: false };
  }
  if (statusCode === GONE) return { state: "PENDING", waitSeconds: 0, holdSeconds: 0, isGone: true };
  const asksToWait = statusCode === TOO_MANY_REQUESTS || statusCode === SERVICE_UNAVAILABLE;
  const asked = asksToWait ? retryAfter : undefined;
  const waitSeconds = secondsToRetry({ attempts: number - replayedAfter, retryAfter: asked, random });
  return {
    state: waitSeconds === undefined ? "FAILED" : "PENDING",
    waitSeconds: waitSeconds ?? 0,
    holdSeconds: asked ?? 0,
    isGone: false,
  };
};
