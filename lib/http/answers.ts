import { createHash } from "node:crypto";
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError, type ErrorCode, type ErrorDetails } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import { closedPageHeaders } from "@/lib/core/security-headers";
import { errorAnswer as apiErrorAnswer } from "./api-route";
import { LINGER_MS, writeHead } from "./requests";

const RETRY_AFTER_SECONDS = 1;

export type Fault = ErrorCode | "HEADERS_TOO_LARGE";
type More = { headers?: Record<string, string>; details?: ErrorDetails };

/** Answers in the shape of all errors under /api. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
  message: string,
  more: More = {},
): void {
  if (response.headersSent) return void response.destroy();
  const { status, body, headers } = errorAnswer(fault, message, more);
  writeHead(request, response, status, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Writes an error response to a socket that has no request, and closes it. */
export function endWith(socket: Duplex, fault: Fault, message: string, given: Record<string, string> = {}): void {
  const { status, body, headers } = errorAnswer(fault, message, { headers: { ...given, Connection: "close" } });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Node no longer handles this socket's errors, so we must.
  socket.on("error", () => {});
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n"));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function errorAnswer(fault: Fault, message: string, { headers = {}, details }: More) {
  // Headers that are too large have no code of their own, only a status.
  const [code, status] = fault === "HEADERS_TOO_LARGE" ? (["VALIDATION_ERROR", 431] as const) : [fault];
  const requestId = newId("req");
  const retry =
    fault === "SERVICE_UNAVAILABLE"
      ? { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS }
      : { retryable: fault === "REQUEST_TIMEOUT" || fault === "INTERNAL_ERROR" };
  const allowed = headers.Allow ? { allowed: headers.Allow.split(", ") } : {};
  const error = new AppError(code, message, { status, headers, details: { ...allowed, ...details, ...retry } });
  const answer = apiErrorAnswer(error, requestId);
  const own = {
    "Content-Length": Buffer.byteLength(answer.body),
    "Cache-Control": "no-store",
    ...closedPageHeaders(env().APP_URL.startsWith("https://")),
    "X-Request-Id": requestId,
  };
  return { ...answer, headers: { ...own, ...answer.headers } };
}

const RELOADED_AFTER_SECONDS = 2;
const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:22vh auto 0;max-width:28rem;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0;opacity:.75}`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Returns the page shown while no page process runs. It has no assets and reloads automatically. */
export function unavailablePage(
  why: string,
  { isHttps, isOfPagesOnly = true }: { isHttps: boolean; isOfPagesOnly?: boolean },
): { html: string; headers: Record<string, string | number> } {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${RELOADED_AFTER_SECONDS}"><title>Back in a moment · Switchboard</title>
<style>${STYLE}</style></head>
<body><h1>Back in a moment</h1><p>${why} This page reloads automatically.${isOfPagesOnly ? " The API is not affected." : ""}</p></body></html>
`;
  const closed = closedPageHeaders(isHttps);
  const policy = `${closed["Content-Security-Policy"]}; style-src 'sha256-${STYLE_HASH}'`;
  return {
    html,
    headers: {
      ...closed,
      "Content-Security-Policy": policy,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": Buffer.byteLength(html),
      "Cache-Control": "no-store",
      "Retry-After": RELOADED_AFTER_SECONDS,
    },
  };
}
