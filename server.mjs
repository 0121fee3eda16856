// The self-hosted front door: Next behind a plain Node server that knows the socket's address, answers what Next would
// answer in another shape, and stops gracefully.  PORT=3000 node server.mjs [-H 127.0.0.1]
import { randomBytes } from "node:crypto";
import { createServer, STATUS_CODES } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

process.env.NODE_ENV = "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";

const MAX_BODY_BYTES = 4 * 1_024 * 1_024;
const MAX_PARTNER_BODY_BYTES = 256 * 1_024;
// A little after the application's own 10 s for a body, which answers with more than we know here.
const REQUEST_TIMEOUT_MS = 10_500;
const STOP_WITHIN_MS = 30_000;
const LINGER_MS = 1_000;
const SINGLE_HEADERS = new Set([
  "idempotency-key",
  "apikey",
  "apisecret",
  "x-api-key",
  "x-api-secret",
  "x-hub-signature-256",
]);
const PARTNER_API = "/api/v1/public";
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const ALLOW = { Allow: [...METHODS].join(", ") };
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const FORGEABLE_HEADERS = ["x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-real-ip", "forwarded"];

const { values: options } = parseArgs({
  options: { hostname: { type: "string", short: "H" }, port: { type: "string", short: "p" } },
  allowPositionals: false,
});
const port = Number(options.port ?? process.env.PORT ?? 3000);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`PORT must be a whole number from 0 to 65535, not "${options.port ?? process.env.PORT}".`);
  process.exit(1);
}

const server = createServer({
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: 500,
  // Node would refuse a request without Host in a shape of its own.
  requireHostHeader: false,
});
server.keepAliveTimeout = 65_000;
await new Promise((resolve, reject) => {
  server.once("error", reject);
  server.listen(port, options.hostname, resolve);
}).catch((error) => {
  console.error(error.code === "EADDRINUSE" ? `Port ${port} is taken. Set PORT to another one.` : error.message);
  process.exit(1);
});

const { address, family, port: boundPort } = server.address();
const loopback = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
globalThis[Symbol.for("switchboard.frontDoor")] = { origin: `http://${loopback}:${boundPort}` };

// postgres.js may write to a socket that a restart of the database has just taken away; its pool is replaced then.
process.on("uncaughtException", (error) => {
  const isKnown = error instanceof TypeError && error.message.includes("reading 'write'");
  console.log(
    JSON.stringify({
      at: new Date().toISOString(),
      level: "error",
      event: "uncaught",
      error: error.name,
      stack: error.stack?.split("\n").slice(0, 4),
    }),
  );
  if (!isKnown) process.exit(1);
});

let handle;
let isStopping = false;
let open = 0;
const answering = new WeakMap();

server.on("request", (request, response) => {
  open += 1;
  answering.set(request.socket, { request, response });
  response.once("close", () => {
    open -= 1;
    if (isStopping && open === 0) server.closeAllConnections();
  });
  if (isStopping) response.setHeader("Connection", "close");
  lingerAfterEarlyAnswer(request, response);
  if (!handle)
    return void refuse(request, response, "SERVICE_UNAVAILABLE", "The server is starting. Retry in a second.");
  serve(request, response);
});
server.on("checkContinue", (request, response) => {
  // A body that its own header calls too large is refused before it is sent.
  const isPartner = isBelow(PARTNER_API, pathname(request.url ?? ""));
  if (declaredBytes(request) <= (isPartner ? MAX_PARTNER_BODY_BYTES : MAX_BODY_BYTES)) response.writeContinue();
  server.emit("request", request, response);
});
server.on("checkExpectation", (request, response) => server.emit("request", request, response));
server.on("connect", (_request, socket) => {
  endWith(socket, "METHOD_NOT_ALLOWED", `CONNECT is not possible here. Use ${ALLOW.Allow}.`, ALLOW);
});
server.on("clientError", (error, socket) => {
  const [code, message, headers] = CLIENT_ERRORS[error.code] ?? [
    "VALIDATION_ERROR",
    "This is not a valid HTTP request.",
  ];
  const end = () => (socket.writable ? endWith(socket, code, message, headers) : socket.destroy());
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { request, response } = answering.get(socket) ?? {};
  if (!response || response.closed) return void end();
  // A whole request before the fault is answered first: its client must not take our refusal for the answer to a send.
  if (request.complete) return void response.once("close", end);
  if (response.headersSent) return void socket.destroy();
  end();
});

const CLIENT_ERRORS = {
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request did not arrive within 10 s."],
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers are larger than 16 KB."],
  HPE_INVALID_METHOD: ["METHOD_NOT_ALLOWED", `This HTTP method does not exist. Use ${ALLOW.Allow}.`, ALLOW],
};

function serve(request, response) {
  guardHeaders(request);
  if (!hasOneHost(request)) {
    response.setHeader("Connection", "close");
    return void refuse(request, response, "VALIDATION_ERROR", "Send one Host header with a host's name.");
  }
  request.url = toPath(request.url ?? "/");
  if (!request.url.startsWith("/"))
    return void refuse(request, response, "VALIDATION_ERROR", "Send a path in the request line.");
  if (!METHODS.has(request.method) && !isBelow("/api", request.url))
    return void refuse(request, response, "METHOD_NOT_ALLOWED", `${request.method} is not possible here.`, ALLOW);
  const [code, message] = findPathFault(pathname(request.url)) ?? [];
  if (code && !isBelow("/api", request.url)) return void refuse(request, response, code, message);
  if (code) handOverRefusal(request, code, message);
  if (!METHODS.has(request.method)) {
    // Next would answer by itself; our routes refuse it with the path's own Allow and count it on the limits.
    request.headers["x-switchboard-method"] = request.method;
    request.method = "OPTIONS";
  }
  if (!isBelow(PARTNER_API, request.url)) {
    const tooLarge = () =>
      refuse(request, response, "PAYLOAD_TOO_LARGE", `The body is larger than ${MAX_BODY_BYTES / 1_048_576} MB.`);
    if (declaredBytes(request) > MAX_BODY_BYTES) return void tooLarge();
    capBody(request, tooLarge);
  }
  handle(request, response).catch((error) => {
    console.log(
      JSON.stringify({ at: new Date().toISOString(), level: "error", event: "front-door", error: error?.name }),
    );
    const advice = "Something failed on our side. Retry with the same Idempotency-Key.";
    refuse(request, response, "INTERNAL_ERROR", advice);
  });
}

/** What a client made up about itself never counts; what the socket says does. */
function guardHeaders(request) {
  for (const name of FORGEABLE_HEADERS) delete request.headers[name];
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith("x-switchboard-") || name.startsWith("x-middleware-") || name.startsWith("x-vercel-"))
      delete request.headers[name];
  }
  request.headers["x-switchboard-socket-address"] = request.socket.remoteAddress ?? "";
  const seen = new Set();
  const repeated = new Set();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i].toLowerCase();
    if (SINGLE_HEADERS.has(name) && seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size > 0) request.headers["x-switchboard-repeated-headers"] = [...repeated].join(",");
}

/** Our routes refuse it, so that it counts on their limits; Next itself could not even read the path. */
function handOverRefusal(request, code, message) {
  request.headers["x-switchboard-refusal"] = `${code} ${message}`;
  request.url = isBelow(PARTNER_API, request.url) ? `${PARTNER_API}/refused` : "/api/refused";
}

const pathname = (path) => path.split(/[?#]/, 1)[0];
const isBelow = (root, path) => {
  const collapsed = pathname(path).replace(/\/{2,}/g, "/");
  return collapsed === root || collapsed.startsWith(`${root}/`);
};
const declaredBytes = (request) => Number(request.headers["content-length"] ?? 0);
const hasBody = (request) => declaredBytes(request) > 0 || request.headers["transfer-encoding"] !== undefined;

/** A whole address in the request line means its path; the host in it is nobody's but the caller's. */
function toPath(target) {
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target;
  return path === "" || path.startsWith("?") ? `/${path}` : path;
}

/** One Host that is a host; HTTP/1.0 may come without. */
function hasOneHost(request) {
  const given = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  if (given.length === 0 && request.httpVersion === "1.0") request.headers.host = loopback;
  return given.length <= 1 && HOST.test(request.headers.host ?? "");
}

function findPathFault(path) {
  if (/\/\/|\\/.test(path)) return ["NOT_FOUND", "This path does not exist: it has an empty part."];
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return ["VALIDATION_ERROR", "The path has a broken percent-encoding."];
  }
}

/** Ends a body in chunks that announces no length and grows beyond what any route takes. */
function capBody(request, refuseIt) {
  let bytes = 0;
  const push = request.push.bind(request);
  request.push = (chunk, encoding) => {
    bytes += chunk?.length ?? 0;
    if (bytes <= MAX_BODY_BYTES) return push(chunk, encoding);
    if (bytes - chunk.length <= MAX_BODY_BYTES) refuseIt();
    return true;
  };
}

/** An answer that comes before the body has been read must reach the client before the connection is cut. */
function lingerAfterEarlyAnswer(request, response) {
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
      ...(fault === "SERVICE_UNAVAILABLE" ? RETRY_AFTER : {}),
      ...headers,
    },
  };
}

function refuse(request, response, fault, message, more) {
  if (response.headersSent) return void response.destroy();
  const { status, text, headers } = errorAnswer(fault, message, more);
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : text);
}

function endWith(socket, fault, message, more) {
  const { status, text, headers } = errorAnswer(fault, message, { ...more, Connection: "close" });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", text].join("\r\n"));
}

function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  console.log(JSON.stringify({ at: new Date().toISOString(), level: "info", event: "stopping", signal, open }));
  server.close(() => process.exit(0));
  server.closeIdleConnections();
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);

const { default: next } = await import("next");
const app = next({
  dev: false,
  dir: fileURLToPath(new URL(".", import.meta.url)),
  hostname: loopback,
  port: boundPort,
  httpServer: server,
});
await app.prepare();
handle = app.getRequestHandler();
console.log(`ready on http://${options.hostname ?? "localhost"}:${boundPort}`);
