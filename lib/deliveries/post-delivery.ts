import { Pool } from "undici";
import { isVouchedFor, readEndpointUrl } from "@/lib/endpoints/endpoint-url";
import { urlRules } from "@/lib/endpoints/url-rules";
import { NotPublic, publicLookup } from "@/lib/network/public-lookup";
import { type Claimed, MOST_TO_ENDPOINT } from "./claim-deliveries";
import { readRetryAfter } from "./retry-schedule";
import { NotSent, signedRequest } from "./signed-request";

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

const TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const LOOKUP_TIMEOUT_MS = 2_000;
const MOST_RESPONSE_BYTES = 4_096;
const IDLE_MS = 60_000;

/**
 * Posts a delivery to its endpoint, signed, and waits at most 15 s for the answer. Follows no redirect and connects to
 * public addresses only. Never throws: whatever goes wrong is the attempt's failure.
 */
export const postDelivery = async (delivery: Claimed): Promise<Answer> => {
  const startedAt = new Date();
  const startedAtMs = performance.now();
  const answer = await post(delivery, startedAt).catch((error: unknown) => ({
    statusCode: null,
    failure: failureWords(error),
    response: null,
    retryAfter: undefined,
  }));
  return { startedAt, durationMs: Math.round(performance.now() - startedAtMs), ...answer };
};

const post = async (delivery: Claimed, at: Date): Promise<Omit<Answer, "startedAt" | "durationMs">> => {
  const { endpointId, mode, url: given } = delivery;
  // Rules may have changed since it was stored, such as where this deployment is.
  const rules = urlRules(mode);
  const reading = readEndpointUrl(given, rules);
  if ("fault" in reading) throw new NotSent(reading.fault);
  const url = new URL(reading.url);
  const pool = poolTo(url, { key: `${endpointId} ${url.origin}`, isChecked: !isVouchedFor(url, rules) });
  const answer = await pool.request({
    method: "POST",
    path: `${url.pathname}${url.search}`,
    ...signedRequest(delivery, at),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { statusCode, headers } = answer;
  const retryAfter = readRetryAfter([headers["retry-after"]].flat()[0], at);
  return { statusCode, failure: null, response: await firstBytes(answer.body), retryAfter };
};

type Connections = { pool: Pool; idle: NodeJS.Timeout };

const connections = new Map<string, Connections>();

/** The connections to an endpoint, kept while it is used: each is checked when it is opened. */
const poolTo = ({ origin }: URL, { key, isChecked }: { key: string; isChecked: boolean }): Pool => {
  const open = connections.get(key);
  if (open) {
    open.idle.refresh();
    return open.pool;
  }
  const lookup = isChecked ? { lookup: publicLookup(LOOKUP_TIMEOUT_MS) } : {};
  const pool = new Pool(origin, {
    connections: MOST_TO_ENDPOINT,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...lookup },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const idle = setTimeout(() => {
    connections.delete(key);
    pool.close().catch(() => undefined);
  }, IDLE_MS).unref();
  connections.set(key, { pool, idle });
  return pool;
};

/** Reads no more than is stored; NUL is what Postgres' text cannot hold. */
const firstBytes = async (body: AsyncIterable<Uint8Array> & { destroy: () => unknown }): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    // Leaving the loop ends the body, and its connection if there is more.
    if (length >= MOST_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_RESPONSE_BYTES).toString("utf8").replaceAll("\0", "\uFFFD");
};

const failureWords = (error: unknown): string => {
  if (error instanceof NotSent) return error.message;
  if (!(error instanceof Error)) return "The connection failed.";
  if (error instanceof NotPublic || error.cause instanceof NotPublic) {
    return "The URL's host does not lead to a public internet address.";
  }
  if (error.name === "TimeoutError") return `No complete response within ${TIMEOUT_MS / 1_000} s.`;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return WORDS[code] ?? `The connection failed (${code}).`;
};

const WORDS: Record<string, string> = {
  ENOTFOUND: "DNS does not know the URL's host.",
  ENODATA: "DNS has no address for the URL's host.",
  ETIMEOUT: "DNS did not answer in time.",
  ECANCELLED: "DNS did not answer in time.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was reset.",
  UND_ERR_SOCKET: "The connection was closed before a response.",
  UND_ERR_CONNECT_TIMEOUT: `No connection within ${CONNECT_TIMEOUT_MS / 1_000} s.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: "The TLS certificate is self-signed.",
  CERT_HAS_EXPIRED: "The TLS certificate has expired.",
};
