import { codeOrClass } from "@/lib/core/log";
import { failSpan, startSpan, traceparent } from "@/lib/core/telemetry";
import { NotPublic } from "@/lib/media/public-address";
import { NotSent } from "@/lib/outgoing/events/event-resource";
import { CONNECT_TIMEOUT_MS, callEndpoint, TIMEOUT_MS, TimedOut } from "./call-endpoint";
import type { Claimed } from "./claim-deliveries";
import { isTrustedUrl, readEndpointUrl, urlRules } from "./endpoint-url";
import { readRetryAfter } from "./outcome";
import { requestOf } from "./signed-request";

/** What an endpoint answered, or why it did not. */
export type Answer = {
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  failure: string | null;
  /** The first 4 KB of the body. */
  response: string | null;
  /** Seconds. */
  retryAfter: number | undefined;
};

/**
 * Posts a delivery to its endpoint, signed, and waits at most 15 s for the headers of the response, which decide. Follows no
 * redirect and connects to public addresses only. Never throws: whatever goes wrong is the attempt's failure.
 */
export async function postDelivery(delivery: Claimed): Promise<Answer> {
  const startedAt = new Date();
  const startedAtMs = performance.now();
  const span = startSpan("deliver", "CLIENT", delivery.traceparent);
  const traced = { ...delivery, traceparent: traceparent(span) ?? delivery.traceparent };
  const answer = await post(traced, startedAt).catch((error: unknown) => ({
    statusCode: null,
    failure: failureWords(error),
    response: null,
    retryAfter: undefined,
  }));
  span?.setAttributes({ "switchboard.endpoint_id": delivery.endpointId, "switchboard.attempt": delivery.number });
  if (answer.statusCode !== null) span?.setAttribute("http.response.status_code", answer.statusCode);
  else if (span) failSpan(span, "no_response");
  span?.end();
  return { startedAt, durationMs: Math.round(performance.now() - startedAtMs), ...answer };
}

async function post(delivery: Claimed, at: Date): Promise<Omit<Answer, "startedAt" | "durationMs">> {
  const { endpointId, mode } = delivery;
  const { url: given, ...request } = requestOf(delivery, at);
  // The rules may have changed since the URL was stored, for example APP_URL.
  const rules = urlRules(mode);
  const reading = readEndpointUrl(given, rules);
  if ("fault" in reading) throw new NotSent(reading.fault);
  const url = new URL(reading.url);
  const call = { url, key: `${endpointId} ${url.origin}`, isChecked: !isTrustedUrl(url, rules) };
  const { statusCode, retryAfter, response } = await callEndpoint({ ...call, ...request });
  return { statusCode, failure: null, response, retryAfter: readRetryAfter(retryAfter, at) };
}

function failureWords(error: unknown): string {
  if (error instanceof NotSent) return error.message;
  if (!(error instanceof Error)) return "The connection failed.";
  if (error instanceof NotPublic) return "The URL's host does not lead to a public internet address.";
  if (error instanceof TimedOut) return OUT_OF_TIME[error.code];
  // Node's error for a connection closed before the response; a reset has the same code.
  if (error.message === "socket hang up") return "The connection was closed before a response.";
  const code = codeOrClass(error);
  return WORDS[code] ?? `The connection failed (${code}).`;
}

const OUT_OF_TIME = {
  NO_CONNECTION: `No connection within ${CONNECT_TIMEOUT_MS / 1_000} s.`,
  NO_RESPONSE: `No response within ${TIMEOUT_MS / 1_000} s.`,
};

const WORDS: Record<string, string> = {
  ENOTFOUND: "DNS does not know the URL's host.",
  ENODATA: "DNS has no address for the URL's host.",
  ETIMEOUT: "DNS did not answer in time.",
  ECANCELLED: "DNS did not answer in time.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was reset.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The TLS certificate is self-signed.",
  CERT_HAS_EXPIRED: "The TLS certificate has expired.",
};
