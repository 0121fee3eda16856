import type { IncomingHttpHeaders } from "node:http";
import { Agent, buildConnector, type Dispatcher, type FormData, ProxyAgent } from "undici";
import type { z } from "zod";
import { env, proxyFor } from "@/lib/core/env";
import { hostLookup } from "@/lib/core/host-lookup";
import { readExactJson } from "@/lib/core/json";
import { codeOrClass } from "@/lib/core/log";
import { ownOrigin } from "@/lib/core/own-server";
import { failSpan, observe, startSpan } from "@/lib/core/telemetry";
import {
  classifyRefusal,
  type GraphError,
  type GraphFailure,
  type GraphResult,
  readGraphError,
  toGraphFailure,
} from "./errors";

/** A shorter token is a test line's made-up word, which may occur in any text. */
const MIN_TOKEN_CHARACTERS = 8;

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

export type GraphAnswer<Answer> = { outcome: "ok"; answer: Answer } | GraphFailure;

/** The same for an idempotent call: returns its answer as `schema` reads it. */
export async function askGraph<Schema extends z.ZodType>(
  line: WhatsappLine,
  request: GraphRequest,
  schema: Schema,
): Promise<GraphAnswer<z.output<Schema>>> {
  const result = await callGraph(line, request);
  const read = result.outcome === "ok" ? schema.safeParse(result.body) : undefined;
  return read?.success ? { outcome: "ok", answer: read.data } : toGraphFailure(result);
}

/** Prepares a call without making it, so that anything that can throw does so here. */
export function prepareCall(line: WhatsappLine, request: Omit<GraphRequest, "timeoutMs">): PreparedCall {
  const written = {
    url: new URL(graphUrl(line, request)),
    method: request.method,
    headers: {
      // Encoded as bytes, because undici refuses characters beyond Latin-1 in a header. Empty before there is a token.
      ...(line.accessToken && {
        authorization: `${request.file ? "OAuth" : "Bearer"} ${Buffer.from(line.accessToken, "utf8").toString("latin1")}`,
      }),
      accept: "application/json",
      ...(request.json !== undefined && { "content-type": "application/json" }),
      ...(request.file && { "content-type": "application/octet-stream", file_offset: "0" }),
    },
    body: request.form ?? request.file ?? (request.json === undefined ? null : JSON.stringify(request.json)),
  };
  return async (limits) => {
    const answer = await exchange(written, limits);
    if (answer.kind === "failed") return classifyFailure(answer, limits.timeoutMs);
    try {
      const result = judgeAnswer(answer);
      return "error" in result && result.error ? { ...result, error: withoutToken(result.error, line) } : result;
    } catch {
      return { outcome: "unknown", reason: `HTTP ${answer.httpStatus} with an unreadable answer` };
    }
  };
}

const UNWRITABLE = "the request could not be written";

/** Removes the token: WhatsApp quotes a refused token, and its text is stored and shown. */
export function withoutToken(error: GraphError, { accessToken }: WhatsappLine): GraphError {
  const own = accessToken.length >= MIN_TOKEN_CHARACTERS ? accessToken : undefined;
  const hide = (text: string | null) =>
    (own ? text?.replaceAll(own, "[token]") : text)?.replace(/\bEAA[0-9A-Za-z_-]{8,}/g, "[token]") ?? null;
  const { title, message, details } = error;
  return { ...error, title: hide(title), message: hide(message), details: hide(details) };
}

function graphUrl(line: WhatsappLine, { path, query }: Pick<GraphRequest, "path" | "query">): string {
  const { WHATSAPP_GRAPH_URL, WHATSAPP_GRAPH_VERSION } = env();
  const base = line.mode === "live" ? WHATSAPP_GRAPH_URL : `${ownOrigin()}/api/sandbox`;
  const search = query ? `?${new URLSearchParams(query)}` : "";
  return `${base}/${WHATSAPP_GRAPH_VERSION}${path}${search}`;
}

function judgeAnswer({ httpStatus, headers, text }: Extract<Exchange, { kind: "answer" }>): GraphResult {
  if (text === undefined) return { outcome: "unknown", reason: `HTTP ${httpStatus} with more than 1 MB` };
  if (httpStatus >= 300 && httpStatus < 400) {
    return { outcome: "unknown", reason: `HTTP ${httpStatus}: a redirect, which is not followed` };
  }
  const body = readExactJson(text);
  if (body === undefined) return { outcome: "unknown", reason: `HTTP ${httpStatus} with an unreadable answer` };
  if (httpStatus >= 200 && httpStatus < 300) return { outcome: "ok", httpStatus, body };
  return classifyRefusal(httpStatus, readGraphError(body), headers);
}

function classifyFailure({ hasBegun, code }: Extract<Exchange, { kind: "failed" }>, timeoutMs: number): GraphResult {
  const waitedMs = Math.round(timeoutMs);
  if (!hasBegun) return { outcome: "not_sent", reason: notBegun(code, waitedMs) };
  if (code === TIMED_OUT) return { outcome: "unknown", reason: `no complete response within ${waitedMs} ms` };
  return { outcome: "unknown", reason: `the connection broke before the response was complete: ${code}` };
}

function notBegun(code: string, waitedMs: number): string {
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
}

export const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

export type HttpRequest = {
  url: URL;
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  body: string | Uint8Array | FormData | null;
};

export type Exchange =
  /** `text` is undefined if the response exceeds 1 MB, which WhatsApp's never do. */
  | { kind: "answer"; httpStatus: number; headers: IncomingHttpHeaders; text: string | undefined }
  /** `hasBegun`: bytes of the request may have left this machine. `code` is an error's code or class, never its text. */
  | { kind: "failed"; hasBegun: boolean; code: string };

export type TimeLimits = { timeoutMs: number; minRemainingMs?: number };

export const TIMED_OUT = "TimeoutError";

/** A failure before the TLS connection was up. Has no undici code, so that undici never reconnects. */
class ConnectError extends Error {
  override readonly name = "ConnectError";
}

/**
 * Makes one HTTP request, once: no retry, no redirect, `timeoutMs` from call to last byte of the response. Nothing
 * is written if less than `minRemainingMs` is left after connecting. Never rejects. `hasBegun` is exact: undici reports a
 * request's start immediately before it writes to the socket.
 */
export function exchange(request: HttpRequest, { timeoutMs, minRemainingMs = 0 }: TimeLimits): Promise<Exchange> {
  return new Promise((resolve) => {
    const startedAtMs = performance.now();
    const span = startSpan("whatsapp", "CLIENT");
    const beginByMs = startedAtMs + timeoutMs - minRemainingMs;
    let writing: Dispatcher.DispatchController | undefined;
    let isLate = false;
    let isOver = false;
    let httpStatus = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Uint8Array[] = [];
    let length = 0;

    const end = (result: Exchange) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      isLate = true;
      const status = result.kind === "answer" ? result.httpStatus : "failed";
      observe("switchboard_whatsapp_seconds", (performance.now() - startedAtMs) / 1_000, { status });
      span?.setAttribute("http.request.method", request.method);
      if (result.kind === "answer") span?.setAttribute("http.response.status_code", result.httpStatus);
      else if (span) failSpan(span, result.code);
      span?.end();
      resolve(result);
    };
    const fail = (code: string) => end({ kind: "failed", hasBegun: writing !== undefined, code });
    const late = () => new DOMException("The time is over.", TIMED_OUT);
    const timer = setTimeout(() => {
      // Nothing may begin from here on. A response that has arrived is read first: a paused process wakes up late.
      isLate = true;
      setImmediate(() => {
        fail(TIMED_OUT);
        writing?.abort(late());
      });
    }, timeoutMs);
    if (timeoutMs <= 0) return fail(TIMED_OUT);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        // Too late, or a second start that would send the request twice: abort before writing.
        if (isLate || writing || performance.now() >= beginByMs) return controller.abort(late());
        writing = controller;
      },
      onResponseStart: (_, statusCode, answered) => {
        httpStatus = statusCode;
        headers = answered;
      },
      onResponseData: (controller, chunk) => {
        length += chunk.byteLength;
        chunks.push(chunk);
        if (length <= MAX_ANSWER_BYTES) return;
        end({ kind: "answer", httpStatus, headers, text: undefined });
        controller.abort(new Error("The answer is too long."));
      },
      onResponseEnd: () => end({ kind: "answer", httpStatus, headers, text: Buffer.concat(chunks).toString("utf8") }),
      onResponseError: (_, error) => {
        const code = codeOrClass(error instanceof ConnectError ? error.cause : error);
        // Nothing of ours aborts before the start but a late time; undici does if a proxy refuses its tunnel.
        fail(code === "UND_ERR_ABORTED" && !writing && !isLate ? "PROXY_REFUSED" : code);
      },
    };
    try {
      const { url, method, headers: sent, body } = request;
      dispatcherFor(url).dispatch(
        { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers: sent, body },
        handler,
      );
    } catch (error) {
      fail(codeOrClass(error));
    }
  });
}

const connectSocket = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: hostLookup });
const connect: buildConnector.connector = (options, callback) =>
  connectSocket(options, (error, socket) =>
    error ? callback(new ConnectError("connect", { cause: error }), null) : callback(null, socket),
  );
const direct = new Agent({ connect });

let proxied: { by: string; dispatcher: Dispatcher } | undefined;

/** If the tunnel fails, nothing was sent, as with a failed connection. */
function dispatcherFor(url: URL): Dispatcher {
  const proxy = proxyFor(url);
  if (!proxy) return direct;
  if (proxied?.by !== proxy) {
    const proxyTls = { timeout: CONNECT_TIMEOUT_MS, lookup: hostLookup };
    proxied = { by: proxy, dispatcher: new ProxyAgent({ uri: proxy, proxyTls }) };
  }
  return proxied.dispatcher;
}
