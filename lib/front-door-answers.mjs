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

export function refuse(request, response, fault, message, more) {
  if (response.headersSent) return void response.destroy();
  const { status, text, headers } = errorAnswer(fault, message, more);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : text);
}

export function endWith(socket, fault, message, more) {
  const { status, text, headers } = errorAnswer(fault, message, { ...more, Connection: "close" });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", text].join("\r\n"));
}

function errorAnswer(fault, message, headers) {
  // Only the status tells headers that are too large from other faults: there is no code of their own.
  const code = fault === "HEADERS_TOO_LARGE" ? "VALIDATION_ERROR" : fault;
  const requestId = `req_${randomBytes(16).toString("hex")}`;
  const docsUrl = `${(process.env.APP_URL ?? "").replace(/\/+$/, "")}/docs/errors/${code}`;
  const retry =
    fault === "SERVICE_UNAVAILABLE"
      ? { retryable: true, retryAfterSeconds: 1 }
      : { retryable: fault === "REQUEST_TIMEOUT" || fault === "INTERNAL_ERROR" };
  const text = JSON.stringify({ error: code, message, details: { requestId, docsUrl, ...retry } });
  return {
    status: STATUS[fault],
    text,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": requestId,
      Link: `<${docsUrl}>; rel="help"`,
      ...(fault === "SERVICE_UNAVAILABLE" ? RETRY_AFTER : {}),
      ...headers,
    },
  };
}
