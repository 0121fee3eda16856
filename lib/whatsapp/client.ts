import type { IncomingHttpHeaders } from "node:http";
import type { FormData } from "undici";
import { env } from "@/lib/core/env";
import { readExactJson } from "@/lib/core/json";
import { ownOrigin } from "@/lib/core/process-wide";
import { type GraphError, judge, type Refusal, readGraphError, retryAfterSeconds } from "./errors";
import { CONNECT_TIMEOUT_MS, type Exchange, exchange, TIMED_OUT, type TimeLimits } from "./exchange";

/** A shorter token is a test line's made-up word, which may occur in any text. */
const LEAST_TOKEN_CHARACTERS = 8;

/** A line with its credentials; `accessToken` is the decrypted token, which is sent only in the header. */
export type WhatsappLine = {
  /** A live line calls WhatsApp, a test line the built-in sandbox. */
  mode: "live" | "test";
  whatsappPhoneNumberId: string;
  whatsappBusinessAccountId: string;
  accessToken: string;
};

export type GraphRequest = {
  method: "GET" | "POST" | "DELETE";
  /** The path after the version, such as `/106500001/messages`. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  form?: FormData;
  /** A whole file, for the resumable upload. */
  file?: Uint8Array;
  /** From the call to the last byte of the response; connecting may take 3 s of it. */
  timeoutMs: number;
};

export type GraphResult =
  | { outcome: "ok"; httpStatus: number; body: unknown }
  | { outcome: "refused"; httpStatus: number; error: GraphError; judgement: Refusal }
  /** No byte of the request left this machine. */
  | { outcome: "not_sent"; reason: string }
  /** Bytes may have left, but no usable response arrived. Both reasons are clauses: no capital letter, no period. */
  | { outcome: "unknown"; reason: string; error?: GraphError };

/** A prepared call. Never throws or reveals the token. */
export type PreparedCall = (limits: TimeLimits) => Promise<GraphResult>;

/** Calls WhatsApp once, without a retry and without following redirects. Never throws or reveals the token. */
export async function callGraph(line: WhatsappLine, { timeoutMs, ...request }: GraphRequest): Promise<GraphResult> {
  let call: PreparedCall;
  try {
    call = prepareCall(line, request);
  } catch {
    return { outcome: "not_sent", reason: UNWRITABLE };
  }
  return call({ timeoutMs });
}

/** Prepares a call without making it, so that anything that can throw does so here. */
export function prepareCall(line: WhatsappLine, request: Omit<GraphRequest, "timeoutMs">): PreparedCall {
  const written = {
    url: new URL(graphUrl(line, request)),
    method: request.method,
    headers: {
      // Encoded as bytes, because undici refuses characters beyond Latin-1 in a header.
      authorization: `${request.file ? "OAuth" : "Bearer"} ${Buffer.from(line.accessToken, "utf8").toString("latin1")}`,
      accept: "application/json",
      ...(request.json !== undefined && { "content-type": "application/json" }),
      ...(request.file && { "content-type": "application/octet-stream", file_offset: "0" }),
    },
    body: request.form ?? request.file ?? (request.json === undefined ? null : JSON.stringify(request.json)),
  };
  return async (limits) => {
    const answer = await exchange(written, limits);
    if (answer.kind === "failed") return judgeFailure(answer, limits.timeoutMs);
    try {
      return withoutTokens(judgeAnswer(answer), line);
    } catch {
      return { outcome: "unknown", reason: `HTTP ${answer.httpStatus} with an unreadable answer` };
    }
  };
}

const UNWRITABLE = "the request could not be written";

const withoutTokens = (result: GraphResult, line: WhatsappLine): GraphResult =>
  "error" in result && result.error ? { ...result, error: withoutToken(result.error, line) } : result;

/** Removes the token: WhatsApp quotes a refused token, and its text is stored and shown. */
export function withoutToken(error: GraphError, { accessToken }: WhatsappLine): GraphError {
  const own = accessToken.length >= LEAST_TOKEN_CHARACTERS ? accessToken : undefined;
  const hide = (text: string | null) =>
    (own ? text?.replaceAll(own, "[token]") : text)?.replace(/\bEAA[0-9A-Za-z_-]{8,}/g, "[token]") ?? null;
  const { title, message, details } = error;
  return { ...error, title: hide(title), message: hide(message), details: hide(details) };
}

const graphUrl = (line: WhatsappLine, { path, query }: Pick<GraphRequest, "path" | "query">): string => {
  const { WHATSAPP_GRAPH_URL, WHATSAPP_GRAPH_VERSION } = env();
  const base = line.mode === "live" ? WHATSAPP_GRAPH_URL : `${ownOrigin()}/api/sandbox`;
  const search = query ? `?${new URLSearchParams(query)}` : "";
  return `${base}/${WHATSAPP_GRAPH_VERSION}${path}${search}`;
};

const judgeAnswer = ({ httpStatus, headers, text }: Extract<Exchange, { kind: "answer" }>): GraphResult => {
  if (text === undefined) return { outcome: "unknown", reason: `HTTP ${httpStatus} with more than 1 MB` };
  if (httpStatus >= 300 && httpStatus < 400) {
    return { outcome: "unknown", reason: `HTTP ${httpStatus}: a redirect, which is not followed` };
  }
  const body = readExactJson(text);
  if (body === undefined) return { outcome: "unknown", reason: `HTTP ${httpStatus} with an unreadable answer` };
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: "ok", httpStatus, body };
  return judgeRefusal(httpStatus, readGraphError(body), headers);
};

/** Classifies an error response: a definite refusal, or unknown. */
export function judgeRefusal(
  httpStatus: number,
  error: GraphError | undefined,
  headers: IncomingHttpHeaders,
): Extract<GraphResult, { outcome: "refused" | "unknown" }> {
  if (!error) return { outcome: "unknown", reason: `HTTP ${httpStatus} without an error code of WhatsApp` };
  const judgement = judge(httpStatus, error, retryAfterSeconds(headers, Date.now()));
  if (judgement.outcome === "unknown") {
    return { outcome: "unknown", reason: `HTTP ${httpStatus} with code ${error.code}, which leaves it open`, error };
  }
  return { outcome: "refused", httpStatus, error, judgement };
}

const judgeFailure = ({ hasBegun, code }: Extract<Exchange, { kind: "failed" }>, timeoutMs: number): GraphResult => {
  const waitedMs = Math.round(timeoutMs);
  if (!hasBegun) return { outcome: "not_sent", reason: notBegun(code, waitedMs) };
  if (code === TIMED_OUT) return { outcome: "unknown", reason: `no whole answer within ${waitedMs} ms` };
  return { outcome: "unknown", reason: `the connection broke before a whole answer came: ${code}` };
};

const notBegun = (code: string, waitedMs: number): string => {
  switch (code) {
    // undici validates a request before it opens a socket, so a token with a line break fails here.
    case "UND_ERR_INVALID_ARG":
      return UNWRITABLE;
    case "ECONNREFUSED":
      return "we could not reach WhatsApp: connection refused";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "we could not reach WhatsApp: its name was not resolved";
    case "UND_ERR_CONNECT_TIMEOUT":
      return `we could not reach WhatsApp: no connection within ${CONNECT_TIMEOUT_MS} ms`;
    case TIMED_OUT:
      return `we could not reach WhatsApp: no connection within ${waitedMs} ms`;
    default:
      return `we could not reach WhatsApp: connecting failed with ${code}`;
  }
};
