import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { WebhookEvent } from "../resources.js";
import { reasonOf } from "./api-command.js";
import type { Result } from "./listen-exchange.js";

/** What the gateway would post, in the attempt of this number. */
export type Delivery = { id: string; attempt: number; headers: Record<string, string>; body: string };

/** As the gateway does with an endpoint: 15 s for the headers, 2 s of them for the body, of which it stores so much. */
const TIMEOUT_MS = 15_000;
const BODY_TIMEOUT_MS = 2_000;
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

type Request = { headers: Record<string, string>; body: string };

const post = async (url: URL, sent: Request): Promise<Outcome> => {
  try {
    return await call(url, sent);
  } catch (error) {
    const failure = failureWords(url, error).slice(0, MOST_FAILURE_CHARACTERS);
    return { statusCode: null, failure, response: null, retryAfter: null };
  }
};

/**
 * With the exact bytes and headers, so that the program can check the signature, and on a connection of its own. Not
 * `fetch`, which fails on a `100 Continue` that it did not ask for.
 */
const call = (url: URL, { headers, body }: Request): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const byMs = performance.now() + TIMEOUT_MS;
    const length = Buffer.byteLength(body);
    const asked = request(url, { method: "POST", agent: false, headers: { ...headers, "content-length": length } });
    const timer = setTimeout(() => asked.destroy(new DOMException("No response.", "TimeoutError")), TIMEOUT_MS);
    // A 101 that nothing asked for: without a listener Node closes the connection and emits no error.
    asked.on("upgrade", ({ statusCode = null }, socket) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ statusCode, failure: null, response: "", retryAfter: null });
    });
    asked.on("response", (response) => {
      clearTimeout(timer);
      const withinMs = Math.max(0, Math.min(BODY_TIMEOUT_MS, byMs - performance.now()));
      const wanted = response.headers["retry-after"] ?? "";
      const retryAfter = /^[\x20-\x7e]{1,64}$/.test(wanted) ? wanted : null;
      firstBytes(response, withinMs).then((text) =>
        resolve({ statusCode: response.statusCode ?? null, failure: null, response: text, retryAfter }),
      );
    });
    asked.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    asked.end(body);
  });

/** The gateway accepts neither NUL nor the half of a character. */
const firstBytes = (response: IncomingMessage, withinMs: number): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const end = () => {
      clearTimeout(timer);
      // The rest may have no end.
      if (!response.complete) response.destroy();
      const bytes = Buffer.concat(chunks).subarray(0, MOST_RESPONSE_BYTES);
      resolve(bytes.toString("utf8").replaceAll("\0", "\uFFFD"));
    };
    const timer = setTimeout(end, withinMs);
    response.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= MOST_RESPONSE_BYTES) end();
    });
    response.on("end", end).on("error", end).on("close", end);
  });

const failureWords = (url: URL, error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `No response within ${TIMEOUT_MS / 1_000} s.`;
  }
  return `${url.origin} could not be reached (${reasonOf(error)}).`;
};
