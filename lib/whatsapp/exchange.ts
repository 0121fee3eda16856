import type { IncomingHttpHeaders } from "node:http";
import { Agent, buildConnector, type Dispatcher, type FormData } from "undici";
import { processWide } from "@/lib/core/process-wide";

export const CONNECT_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

export type HttpRequest = {
  url: URL;
  method: "GET" | "POST" | "DELETE";
  headers: Record<string, string>;
  body: string | Uint8Array | FormData | null;
};

export type Exchange =
  /** `text` is undefined where the answer is longer than 1 MB, which nothing of WhatsApp's is. */
  | { kind: "answer"; httpStatus: number; headers: IncomingHttpHeaders; text: string | undefined }
  /** `hasBegun`: bytes of the request may have left this machine. `code` is an error's code or class, never its text. */
  | { kind: "failed"; hasBegun: boolean; code: string };

export type TimeLimits = { timeoutMs: number; leastMs?: number };

export const TIMED_OUT = "TimeoutError";

/** Whatever failed before the socket, with TLS, was up. Without a code of undici's own, so that it never connects again. */
class ConnectError extends Error {
  override readonly name = "ConnectError";

  /** The agent is the whole process's, so the error may be of another load of this module, with a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "ConnectError";
  }
}

/**
 * Makes one HTTP request, once: no retry, no redirect, `timeoutMs` from the call to the last byte of the answer. Nothing
 * of it is written where connecting has left less than `leastMs`. Never rejects. `hasBegun` is exact: undici reports a
 * request's start immediately before it writes to the socket.
 */
export function exchange(request: HttpRequest, { timeoutMs, leastMs = 0 }: TimeLimits): Promise<Exchange> {
  return new Promise((resolve) => {
    const beginByMs = performance.now() + timeoutMs - leastMs;
    let writing: Dispatcher.DispatchController | undefined;
    let isLate = false;
    let httpStatus = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Uint8Array[] = [];
    let length = 0;

    const end = (result: Exchange) => {
      clearTimeout(timer);
      isLate = true;
      resolve(result);
    };
    const fail = (code: string) => end({ kind: "failed", hasBegun: writing !== undefined, code });
    const late = () => new DOMException("The time is over.", TIMED_OUT);
    const timer = setTimeout(() => {
      // From here on nothing begins any more; an answer that has arrived is read first, as a paused process wakes up late.
      isLate = true;
      setImmediate(() => {
        fail(TIMED_OUT);
        writing?.abort(late());
      });
    }, timeoutMs);
    if (timeoutMs <= 0) return fail(TIMED_OUT);

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        // Too late, or a second start of the same request, which would send it twice: nothing is written.
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
      onResponseError: (_, error) => fail(errorCode(error instanceof ConnectError ? error.cause : error)),
    };
    try {
      const { url, method, headers: sent, body } = request;
      agent().dispatch(
        { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers: sent, body },
        handler,
      );
    } catch (error) {
      fail(errorCode(error));
    }
  });
}

const agent = (): Agent =>
  processWide("graphAgent", () => {
    const connectSocket = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
    const connect: buildConnector.connector = (options, callback) =>
      connectSocket(options, (error, socket) =>
        error ? callback(new ConnectError("connect", { cause: error }), null) : callback(null, socket),
      );
    return new Agent({ connect });
  });

/** A code or a class, never a message: messages may quote what was sent. */
const errorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};
