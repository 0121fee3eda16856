// The self-hosted front door: Next behind a plain Node server that knows the socket's address, answers what Next would
// answer in another shape, and stops gracefully.  PORT=3000 node server.mjs [-H 127.0.0.1]
import { createServer } from "node:http";
import { Server as NetServer } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
// Next's own reading of its router's header, so that what passes is what it takes.
import routerState from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import { endWith, lingerAfterEarlyAnswer, refuse } from "./lib/front-door-answers.mjs";
import {
  ALLOW,
  capBody,
  declaredBytes,
  findPathFault,
  guardHeaders,
  handOverRefusal,
  hasOneHost,
  isBelow,
  METHODS,
  PARTNER_API,
  toPath,
} from "./lib/front-door-requests.mjs";

process.env.NODE_ENV = "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";

const MAX_BODY_BYTES = 4 * 1_024 * 1_024;
const MAX_PARTNER_BODY_BYTES = 256 * 1_024;
const SANDBOX = "/api/sandbox";
// The media of test lines: a video has 16 MB at most, and a form around it.
const MAX_SANDBOX_BODY_BYTES = 17 * 1_024 * 1_024;
// A little after the application's own 10 s for a body, which answers with more than we know here.
const REQUEST_TIMEOUT_MS = 10_500;
// Connections that wait while this process is busy; beyond Node's 511 the kernel drops them, and their clients wait for seconds.
const MAX_UNACCEPTED = 4_096;
const STOP_WITHIN_MS = 30_000;
const STOP_GRACE_MS = 250;
const STOP_WORK_MS = 2_000;
const SQL_STATE = /^[0-9A-Z]{5}$/;

const { values: options } = parseArgs({
  options: { hostname: { type: "string", short: "H" }, port: { type: "string", short: "p" } },
  allowPositionals: false,
});
const wantedPort = options.port ?? (process.env.PORT || "3000");
const port = Number(wantedPort);
if (!/^\d{1,5}$/.test(wantedPort) || port > 65_535) {
  console.error(`PORT must be a whole number from 0 to 65535, not "${wantedPort}".`);
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
  server.listen({ port, host: options.hostname, backlog: MAX_UNACCEPTED }, resolve);
}).catch((error) => {
  console.error(error.code === "EADDRINUSE" ? `Port ${port} is taken. Set PORT to another one.` : error.message);
  process.exit(1);
});

const { address, family, port: boundPort } = server.address();
const loopback = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
// What the application has yet to write down when the last answer is given (lib/front-door.ts).
const stopWork = [];
// Next does not wait for instrumentation.ts, which may still refuse the environment or the schema.
const mayOpen = new Promise((open) => {
  globalThis[Symbol.for("switchboard.frontDoor")] = { origin: `http://${loopback}:${boundPort}`, open, stopWork };
});

// postgres.js may write to a socket that a restart of the database has just taken away; its pool is replaced then.
process.on("uncaughtException", (error) => {
  const isKnown = error instanceof TypeError && error.message.includes("reading 'write'");
  console.log(
    JSON.stringify({ at: new Date().toISOString(), level: "error", event: "uncaught", ...firstCause(error) }),
  );
  if (!isKnown) process.exit(1);
});

/** As errorFields in lib/log.ts: a database's error, and what wraps it, may quote the query with its values. */
function firstCause(error) {
  if (error?.cause instanceof Error) return firstCause(error.cause);
  const { name, code, message, stack = "" } = error ?? {};
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: name,
    code,
    message: SQL_STATE.test(code) ? undefined : message?.slice(0, 300),
    stack: frames.slice(0, 3),
  };
}

let handle;
let isStopping = false;
let mayCut = false;
let open = 0;
const answering = new WeakMap();

server.on("request", (request, response) => {
  open += 1;
  answering.set(request.socket, { request, response });
  response.once("close", () => {
    open -= 1;
    if (mayCut && open === 0) server.closeAllConnections();
  });
  if (isStopping) response.setHeader("Connection", "close");
  lingerAfterEarlyAnswer(request, response);
  if (!handle)
    return void refuse(request, response, "SERVICE_UNAVAILABLE", "The server is starting. Retry in a second.");
  serve(request, response);
});
server.on("checkContinue", (request, response) => {
  // A body that its own header calls too large is refused before it is sent.
  if (declaredBytes(request) <= maxBytesOf(toPath(request.url ?? "/"))) response.writeContinue();
  server.emit("request", request, response);
});
server.on("checkExpectation", (request, response) => server.emit("request", request, response));
server.on("connect", (_request, socket) => {
  endWith(socket, "METHOD_NOT_ALLOWED", `CONNECT is not possible here. Use ${ALLOW.Allow}.`, ALLOW);
});
server.on("clientError", (error, socket) => {
  const [code, message, headers] = CLIENT_ERRORS[error.code] ?? [
    "VALIDATION_ERROR",
    "This is not a valid HTTP request. Send it with an HTTP client.",
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
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request did not arrive within 10 s. Send it whole and at once."],
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers are larger than 16 KB. Shorten them."],
  HPE_INVALID_METHOD: ["METHOD_NOT_ALLOWED", `This HTTP method does not exist. Use ${ALLOW.Allow}.`, ALLOW],
};

function maxBytesOf(url) {
  if (isBelow(PARTNER_API, url)) return MAX_PARTNER_BODY_BYTES;
  return isBelow(SANDBOX, url) ? MAX_SANDBOX_BODY_BYTES : MAX_BODY_BYTES;
}

function serve(request, response) {
  guardHeaders(request);
  dropBrokenRouterState(request);
  if (!hasOneHost(request, loopback)) {
    response.setHeader("Connection", "close");
    return void refuse(request, response, "VALIDATION_ERROR", "Send one Host header with a host's name.");
  }
  request.url = toPath(request.url ?? "/");
  if (!request.url.startsWith("/"))
    return void refuse(request, response, "VALIDATION_ERROR", "Send a path in the request line.");
  if (!METHODS.has(request.method) && !isBelow("/api", request.url))
    return void refuse(request, response, "METHOD_NOT_ALLOWED", `${request.method} is not possible here.`, ALLOW);
  const [code, message] = findPathFault(request.url) ?? [];
  if (code && !isBelow("/api", request.url)) return void refuse(request, response, code, message);
  if (code) handOverRefusal(request, code, message);
  if (!METHODS.has(request.method)) {
    // Next would answer by itself; our routes refuse it with the path's own Allow and count it on the limits.
    request.headers["x-switchboard-method"] = request.method;
    request.method = "OPTIONS";
  }
  if (!isBelow(PARTNER_API, request.url)) {
    const maxBytes = maxBytesOf(request.url);
    const tooLarge = () =>
      refuse(request, response, "PAYLOAD_TOO_LARGE", `The body is larger than ${maxBytes / 1_048_576} MB. Send less.`);
    if (declaredBytes(request) > maxBytes) return void tooLarge();
    capBody(request, maxBytes, tooLarge);
  }
  handle(request, response).catch((error) => {
    console.log(
      JSON.stringify({ at: new Date().toISOString(), level: "error", event: "front-door", error: error?.name }),
    );
    const advice = "Something failed on our side. Retry; a send with the same Idempotency-Key.";
    refuse(request, response, "INTERNAL_ERROR", advice);
  });
}

/** Next would answer a router's state that nobody could have sent with a 500; without one it renders the whole page. */
function dropBrokenRouterState(request) {
  try {
    routerState.parseAndValidateFlightRouterState(request.headers["next-router-state-tree"]);
  } catch {
    delete request.headers["next-router-state-tree"];
  }
}

function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  console.log(JSON.stringify({ at: new Date().toISOString(), level: "info", event: "stopping", signal, open }));
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
  // A request that has arrived is in flight, read or not: one turn takes in its connection, and the grace its bytes.
  afterOneTurn(() => {
    // The HTTP server's own close would cut connections at once that it has read nothing from yet.
    NetServer.prototype.close.call(server, () => void finishWork().finally(() => process.exit(0)));
    setTimeout(() => afterOneTurn(cutWhatIsIdle), STOP_GRACE_MS).unref();
  });
}

function finishWork() {
  const over = new Promise((resolve) => setTimeout(resolve, STOP_WORK_MS));
  return Promise.race([Promise.allSettled(stopWork.map((work) => work())), over]);
}

function cutWhatIsIdle() {
  mayCut = true;
  server.closeIdleConnections();
  if (open === 0) server.closeAllConnections();
}

function afterOneTurn(act) {
  setImmediate(() => setImmediate(act));
}

process.on("SIGTERM", stop);
process.on("SIGINT", stop);

// Next would take every offer of another protocol, such as a client's h2c, and hang up; unheard, it is an ordinary request.
const listen = server.on;
server.on = (event, ...rest) => (event === "upgrade" ? server : listen.call(server, event, ...rest));

const { default: next } = await import("next");
const app = next({
  dev: false,
  dir: fileURLToPath(new URL(".", import.meta.url)),
  hostname: loopback,
  port: boundPort,
  httpServer: server,
});
await app.prepare();
await mayOpen;
handle = app.getRequestHandler();
console.log(`ready on http://${options.hostname ?? "localhost"}:${boundPort}`);
