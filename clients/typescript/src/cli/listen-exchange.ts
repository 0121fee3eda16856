import { ApiError, NoResponseError } from "../errors.js";
import { callApi, sleep } from "../http-calls.js";
import type { Credentials } from "./api-command.js";
import type { Delivery } from "./forward-delivery.js";

/** How a delivery was forwarded. */
export type Result = {
  id: string;
  attempt: number;
  durationMs: number;
  statusCode: number | null;
  failure: string | null;
  response: string | null;
  retryAfter: string | null;
};

type Asked = { results: Result[]; underWay: number; isEnding: boolean };
type Listening = { listener: string; secret?: string; pausedBy: string | null; deliveries: Delivery[] };

/**
 * Reports results and takes deliveries; the first call begins the session. Once `ending` is aborted nothing is waited for, and
 * the answer is undefined where none came.
 */
export type Exchange = (asked: Asked, ending: AbortSignal) => Promise<Listening | undefined>;

const TIMEOUT_SECONDS = 15;
/** For who has pressed Ctrl+C. */
const LAST_TIMEOUT_SECONDS = 3;
const TRY_AGAIN_MS = 2_000;

const PAUSED: Record<string, string> = {
  member: "A member has paused this session in the dashboard. Its events are delivered when it is resumed there.",
  gone: "Your program returned 410 Gone, which pauses an endpoint. Resume it in the dashboard.",
  failing: "The endpoint has failed for days and is paused. Resume it in the dashboard.",
};

/**
 * The session with a gateway. Tries again while the gateway cannot be reached, and starts another session where this one has
 * expired; both are said on standard error. The first call is not tried again: it rejects with NoResponseError. Rejects with
 * ApiError where the error is not retryable.
 */
export const exchangeWith = (credentials: Credentials, about: { computer: string; forwardTo?: string }): Exchange => {
  const call = (body: object, ending: AbortSignal) => {
    const seconds = ending.aborted ? LAST_TIMEOUT_SECONDS : TIMEOUT_SECONDS;
    const settings = { ...credentials, maxRetries: 0, timeoutSeconds: seconds, deadlineSeconds: seconds, fetch };
    const signal = ending.aborted ? undefined : ending;
    return callApi<Listening>(settings, { method: "POST", path: "/listen", body, signal });
  };
  const say = onChange((text) => void process.stderr.write(`${text}\n`));
  let listener: string | undefined;

  return async (given, ending) => {
    const pause = (ms: number) => sleep(ms, { signal: ending }).catch(() => undefined);
    let asked = given;
    for (;;) {
      try {
        const answer = await call(listener === undefined ? about : { listener, ...asked }, ending);
        listener = answer.listener;
        say(PAUSED[answer.pausedBy ?? ""]);
        return answer;
      } catch (error) {
        // After Ctrl+C nothing waits for the gateway: results that it did not get are lost with the session.
        if (ending.aborted) return undefined;
        const isGone = error instanceof ApiError && error.code === "NOT_FOUND" && listener !== undefined;
        const isEnded = isGone && error.details.endedBy !== "member";
        if (isEnded) {
          say("The session expired, and another one started. Events in between are lost.");
          listener = undefined;
        } else if (error instanceof ApiError && error.code === "VALIDATION_ERROR" && asked.results.length > 0) {
          // One result must not end the session: the gateway takes the attempt for lost, and makes it again.
          say(`The gateway refused a result: ${error.message}`);
          asked = { ...asked, results: [] };
        } else if (error instanceof NoResponseError && listener !== undefined) {
          say("The gateway does not respond. Trying again …");
          await pause(TRY_AGAIN_MS);
        } else if (error instanceof ApiError && error.details.retryable === true) {
          say(`${error.message} Trying again …`);
          await pause((error.details.retryAfterSeconds ?? 0) * 1_000 || TRY_AGAIN_MS);
        } else throw error;
      }
    }
  };
};

/** Says a text only where it differs from the one before. */
const onChange = (say: (text: string) => void) => {
  let last: string | undefined;
  return (text: string | undefined) => {
    if (text !== undefined && text !== last) say(text);
    last = text;
  };
};
