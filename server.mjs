// The self-hosted front door: Next behind a plain Node server that knows the socket's address, answers what Next would
// answer in another shape, and stops gracefully.  PORT=3000 node server.mjs [-H 127.0.0.1]
import { randomBytes } from "node:crypto";
import { createServer, STATUS_CODES } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

process.env.NODE_ENV = "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";

const MAX_BODY_BYTES = 4 * 1_024 * 1_024;
const REQUEST_TIMEOUT_MS = 10_000;
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
  connectionsCheckingInterval: 1_000,
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

server.on("request", (request, response) => {
  open += 1;
  response.once("close", () => {
    open -= 1;
    if (isStopping && open === 0) server.closeAllConnections();
  });
  if (isStopping) response.setHeader("Connection", "close");
  if (!handle)
    return void refuse(request, response, 503, "SERVICE_UNAVAILABLE", "The server is starting. Retry in a second.", {
      "Retry-After": "1",
    });
  serve(request, response);
});
server.on("checkContinue", (request, response) => {
  // A body that its own header calls too large is refused before it is sent.
  if (Number(request.headers["content-length"] ?? 0) <= MAX_BODY_BYTES) response.writeContinue();
  server.emit("request", request, response);
});
server.on("checkExpectation", (request, response) => {
  refuse(request, response, 417, "VALIDATION_ERROR", "The header Expect is not understood. Leave it out.");
});
server.on("connect", (_request, socket) => {
  endWith(socket, 405, "METHOD_NOT_ALLOWED", "CONNECT is not possible here.");
});
server.on("clientError", (error, socket) => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, code, message] = CLIENT_ERRORS[error.code] ?? [
    400,
    "VALIDATION_ERROR",
    "This is not a valid HTTP request.",
  ];
  endWith(socket, status, code, message);
});

const CLIENT_ERRORS = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "REQUEST_TIMEOUT", "The request did not arrive within 10 s."],
  HPE_HEADER_OVERFLOW: [431, "VALIDATION_ERROR", "The headers are larger than 16 KB."],
  HPE_INVALID_METHOD: [405, "METHOD_NOT_ALLOWED", "This HTTP method does not exist."],
};

function serve(request, response) {
  const path = request.url ?? "/";
  const isApi = isApiPath(path);
  guardHeaders(request);
  if (!path.startsWith("/"))
    return void refuse(
      request,
      response,
      400,
      "VALIDATION_ERROR",
      "Send the path only, not a whole address, in the request line.",
    );
  if (!isDecodable(path))
    return void refuse(request, response, 400, "VALIDATION_ERROR", "The path has a broken percent-encoding.");
  if (/\/\/|\\/.test(pathname(path)))
    return void refuse(request, response, 404, "NOT_FOUND", "This path does not exist: it has an empty part.");
  if (!METHODS.has(request.method ?? "")) {
    return void refuse(request, response, 405, "METHOD_NOT_ALLOWED", `${request.method} is not possible here.`, {
      Allow: [...METHODS].join(", "),
    });
  }
  const declared = Number(request.headers["content-length"] ?? 0);
  if (isApi && declared > MAX_BODY_BYTES) {
    return void refuse(
      request,
      response,
      413,
      "PAYLOAD_TOO_LARGE",
      `The body is larger than ${MAX_BODY_BYTES / 1_048_576} MB.`,
    );
  }
  lingerAfterEarlyAnswer(request, response);
  handle(request, response).catch((error) => {
    console.log(
      JSON.stringify({ at: new Date().toISOString(), level: "error", event: "front-door", error: error?.name }),
    );
    refuse(
      request,
      response,
      500,
      "INTERNAL_ERROR",
      "Something failed on our side. Retry with the same Idempotency-Key.",
    );
  });
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

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

const pathname = (path) => path.split(/[?#]/, 1)[0];
const isApiPath = (path) => /^\/api(\/|$)/.test(pathname(path));

function isDecodable(path) {
  try {
    decodeURIComponent(pathname(path));
    return true;
  } catch {
    return false;
  }
}

/** An answer that comes before the body has been read must reach the client before the connection is cut. */
function lingerAfterEarlyAnswer(request, response) {
  response.once("finish", () => {
    if (request.complete) return;
    request.resume();
    setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  });
  const writeHead = response.writeHead;
  response.writeHead = (...args) => {
    if (!request.complete && response.statusCode >= 400) response.setHeader("Connection", "close");
    return writeHead.apply(response, args);
  };
}

function errorBody(code, message) {
  const requestId = `req_${randomBytes(16).toString("hex")}`;
  const docsUrl = `${process.env.APP_URL ?? ""}/docs/errors/${code}`;
  return { requestId, text: JSON.stringify({ error: code, message, details: { requestId, docsUrl } }) };
}

function refuse(request, response, status, code, message, headers = {}) {
  if (response.headersSent) return response.destroy();
  const { requestId, text } = errorBody(code, message);
  lingerAfterEarlyAnswer(request, response);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : text);
}

function endWith(socket, status, code, message) {
  const { requestId, text } = errorBody(code, message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${text}`,
  );
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
