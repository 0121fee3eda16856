// The front door's own answers (server.mjs), in the shape of all errors under /api.
import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { hasBody } from "./front-door-requests.mjs";

const LINGER_MS = 1_000;
const STATUS = {
  VALIDATION_ERROR: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};
const RETRY_AFTER = { "Retry-After": "1" };
// As lib/public-api/error-response.ts says it.
const DATABASE_RETRY_AFTER = "5";

/** An answer that comes before the body has been read must reach the client before the connection is cut. */
export function lingerAfterEarlyAnswer(request, response) {
  const { socket } = request;
  const writeHead = response.writeHead;
  response.writeHead = (...args) => {
    if (hasBody(request) && !request.complete) {
      response.setHeader("Connection", "close");
      socket.destroySoon = () => {
        socket.end();
        setTimeout(() => socket.destroy(), LINGER_MS).unref();
      };
    }
    return writeHead.apply(response, args);
  };
}

/** Next answers 500 where it cannot render a page. `failure.isOfDatabase` says that our database is the reason: a 503. */
export function tellDatabaseFailure(response, failure) {
  const writeHead = response.writeHead;
  response.writeHead = (status, ...rest) => {
    if (status !== 500 || !failure.isOfDatabase) return writeHead.call(response, status, ...rest);
    response.setHeader("Retry-After", DATABASE_RETRY_AFTER);
    return writeHead.call(response, 503);
  };
}

export function refuse(request, response, fault, message, { headers: more, details } = {}) {
  if (response.headersSent) return void response.destroy();
  const { status, text, headers } = errorAnswer(fault, message, more, details);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : text);
}

export function endWith(socket, fault, message, more) {
  const { status, text, headers } = errorAnswer(fault, message, { ...more, Connection: "close" });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Node has let go of this socket: whatever its client does with it is for us to take.
  socket.on("error", () => {});
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", text].join("\r\n"));
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function errorAnswer(fault, message, headers, details) {
  // Only the status tells headers that are too large from other faults: there is no code of their own.
  const code = fault === "HEADERS_TOO_LARGE" ? "VALIDATION_ERROR" : fault;
  const requestId = `req_${randomBytes(16).toString("hex")}`;
  const docsUrl = `${(process.env.APP_URL ?? "").replace(/\/+$/, "")}/docs/errors/${code}`;
  const retry =
    fault === "SERVICE_UNAVAILABLE"
      ? { retryable: true, retryAfterSeconds: 1 }
      : { retryable: fault === "REQUEST_TIMEOUT" || fault === "INTERNAL_ERROR" };
  const allowed = headers?.Allow ? { allowed: headers.Allow.split(", ") } : {};
  const text = JSON.stringify({
    error: code,
    message,
    details: { requestId, docsUrl, ...allowed, ...details, ...retry },
  });
  return {
    status: STATUS[fault],
    text,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      "Cache-Control": "no-store",
      ...browserHeaders(),
      "X-Request-Id": requestId,
      Link: `<${docsUrl}>; rel="help"`,
      ...(fault === "SERVICE_UNAVAILABLE" ? RETRY_AFTER : {}),
      ...headers,
    },
  };
}

/** A page's path may be refused, too: as lib/security-headers.ts, for an answer that shows and loads nothing. */
function browserHeaders() {
  const isHttps = process.env.APP_URL?.startsWith("https://");
  return {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    ...(isHttps ? { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" } : {}),
  };
}
