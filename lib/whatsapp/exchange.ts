import type { IncomingHttpHeaders } from "node:http";
import { Agent, buildConnector, type Dispatcher, type FormData, ProxyAgent } from "undici";
import { hostLookup, proxyFor } from "@/lib/core/host-lookup";
import { observe } from "@/lib/core/metrics";
import { failSpan, startSpan } from "@/lib/core/trace";

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

export type TimeLimits = { timeoutMs: number; leastMs?: number };

export const TIMED_OUT = "TimeoutError";

/** A failure before the TLS connection was up. Has no undici code, so that undici never reconnects. */
class ConnectError extends Error {
  override readonly name = "ConnectError";
}

/**
 * Makes one HTTP request, once: no retry, no redirect, `timeoutMs` from call to last byte of the response. Nothing
 * is written if less than `leastMs` is left after connecting. Never rejects. `hasBegun` is exact: undici reports a
 * request's start immediately before it writes to the socket.
 */
export function exchange(request: HttpRequest, { timeoutMs, leastMs = 0 }: TimeLimits): Promise<Exchange> {
  return new Promise((resolve) => {
    const startedAtMs = performance.now();
    const span = startSpan("whatsapp", "CLIENT");
    const beginByMs = startedAtMs + timeoutMs - leastMs;
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
        const code = errorCode(error instanceof ConnectError ? error.cause : error);
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
      fail(errorCode(error));
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

/** A tunnel that fails has written nothing of the request, as a connection that fails. */
const dispatcherFor = (url: URL): Dispatcher => {
  const proxy = proxyFor(url);
  if (!proxy) return direct;
  if (proxied?.by !== proxy) {
    const proxyTls = { timeout: CONNECT_TIMEOUT_MS, lookup: hostLookup };
    proxied = { by: proxy, dispatcher: new ProxyAgent({ uri: proxy, proxyTls }) };
  }
  return proxied.dispatcher;
};

/** A code or a class, never a message: messages may quote what was sent. */
const errorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};
