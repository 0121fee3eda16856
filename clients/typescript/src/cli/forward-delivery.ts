import type { WebhookEvent } from "../resources.js";
import { reasonOf } from "./api-command.js";
import type { Result } from "./listen-exchange.js";

/** What the gateway would post, in the attempt of this number. */
export type Delivery = { id: string; attempt: number; headers: Record<string, string>; body: string };

/** As long as the gateway waits for an endpoint, and as much as it stores of a response. */
const TIMEOUT_MS = 15_000;
const MOST_RESPONSE_BYTES = 4_096;
const MOST_FAILURE_CHARACTERS = 300;
/** A computer that sleeps meanwhile measures any time. */
const LONGEST_MS = 60_000;

type Outcome = Pick<Result, "statusCode" | "failure" | "response" | "retryAfter">;

/** Posts a delivery to `url`, and returns the line to print and the result for the gateway. Never rejects. */
export const forwardDelivery = async (
  { id, attempt, headers, body }: Delivery,
  url: URL | undefined,
): Promise<{ line: Record<string, unknown>; result: Result }> => {
  const startedAtMs = performance.now();
  const outcome = url ? await post(url, { headers, body }) : RECEIVED;
  const durationMs = Math.min(LONGEST_MS, Math.round(performance.now() - startedAtMs));
  const { timestamp, type, sequence, data }: WebhookEvent = JSON.parse(body);
  const printed = outcome.failure === null ? { status: outcome.statusCode } : { failure: outcome.failure };
  return {
    line: { timestamp, type, id: "id" in data ? data.id : undefined, sequence, ...printed, ms: durationMs },
    result: { id, attempt, durationMs, ...outcome },
  };
};

const RECEIVED: Outcome = { statusCode: 204, failure: null, response: null, retryAfter: null };

/** With the exact bytes and headers, so that the program can check the signature. */
const post = async (url: URL, sent: { headers: Record<string, string>; body: string }): Promise<Outcome> => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: "POST", ...sent, redirect: "manual", signal });
    const asked = response.headers.get("Retry-After") ?? "";
    const retryAfter = /^[\x20-\x7e]{1,64}$/.test(asked) ? asked : null;
    return { statusCode: response.status, failure: null, response: await firstBytes(response), retryAfter };
  } catch (error) {
    const failure = failureWords(url, error).slice(0, MOST_FAILURE_CHARACTERS);
    return { statusCode: null, failure, response: null, retryAfter: null };
  }
};

/** The gateway accepts neither NUL nor the half of a character. */
const firstBytes = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    // Leaving the loop cancels the rest of a response, which may have no end.
    if (length >= MOST_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_RESPONSE_BYTES).toString("utf8").replaceAll("\0", "\uFFFD");
};

const failureWords = (url: URL, error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `No complete response within ${TIMEOUT_MS / 1_000} s.`;
  }
  return `${url.origin} could not be reached (${reasonOf(error)}).`;
};
