import type { WebhookEvent } from "../resources.js";
import type { Result } from "./listen-exchange.js";

/** What the gateway would post, in the attempt of this number. */
export type Delivery = { id: string; attempt: number; headers: Record<string, string>; body: string };

/** As long as the gateway waits for an endpoint. */
const TIMEOUT_MS = 15_000;
const MOST_RESPONSE_CHARACTERS = 4_096;

type Response = Pick<Result, "statusCode" | "failure" | "response" | "retryAfter">;

/** Posts a delivery to `url`, and returns the line to print and the result for the gateway. Never rejects. */
export const forwardDelivery = async (
  { id, attempt, headers, body }: Delivery,
  url: URL | undefined,
): Promise<{ line: Record<string, unknown>; result: Result }> => {
  const startedAtMs = performance.now();
  const response = url ? await post(url, { headers, body }) : RECEIVED;
  const durationMs = Math.round(performance.now() - startedAtMs);
  const { timestamp, type, sequence, data }: WebhookEvent = JSON.parse(body);
  const outcome = response.failure === null ? { status: response.statusCode } : { failure: response.failure };
  return {
    line: { timestamp, type, id: "id" in data ? data.id : undefined, sequence, ...outcome, ms: durationMs },
    result: { id, attempt, durationMs, ...response },
  };
};

const RECEIVED: Response = { statusCode: 204, failure: null, response: null, retryAfter: null };

/** With the exact bytes and headers, so that the program can check the signature. */
const post = async (url: URL, sent: { headers: Record<string, string>; body: string }): Promise<Response> => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: "POST", ...sent, redirect: "manual", signal });
    const text = storable(await response.text());
    const asked = response.headers.get("Retry-After") ?? "";
    const retryAfter = /^[\x20-\x7e]{1,64}$/.test(asked) ? asked : null;
    return { statusCode: response.status, failure: null, response: text, retryAfter };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.name) : "unknown";
    const failure = `${url.origin} could not be reached (${reason}).`;
    return { statusCode: null, failure, response: null, retryAfter: null };
  }
};

/** The gateway accepts neither NUL nor the half of a surrogate pair. */
const storable = (text: string): string =>
  Buffer.from(text.slice(0, MOST_RESPONSE_CHARACTERS)).toString().replaceAll("\0", "\uFFFD");
