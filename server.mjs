// The self-hosted front door: Next behind a plain Node server that knows the socket's address, answers what Next would
// answer in another shape, and stops gracefully.  PORT=3000 node server.mjs [-H 127.0.0.1]
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
// Next's own reading of its router's header, so that what passes is what it takes.
import routerState from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import { ArrivingBytes } from "./lib/arriving-bytes.mjs";
import { endWith, lingerAfterEarlyAnswer, refuse, tellDatabaseFailure } from "./lib/front-door-answers.mjs";
import { Exchanges } from "./lib/front-door-exchanges.mjs";
import { report, surviveFaults } from "./lib/front-door-faults.mjs";
import {
  ALLOW,
  capBody,
  declaredBytes,
  findPathFault,
  guardHeaders,
  handOverRefusal,
  hasBody,
  hasOneHost,
  isBelow,
  METHODS,
  PARTNER_API,
  pathOf,
  toPath,
  whenWhole,
} from "./lib/front-door-requests.mjs";
import { stopGracefully } from "./lib/front-door-stop.mjs";
import { methodsOf } from "./lib/public-files.mjs";

process.env.NODE_ENV = "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";

const MAX_BODY_BYTES = 4 * 1_024 * 1_024;
const MAX_PARTNER_BODY_BYTES = 256 * 1_024;
// As lib/auth/page-request.ts has it, for where this server is not in front.
const MAX_ACTION_BODY_BYTES = 256 * 1_024;
// Bodies of pages that are on their way, in all (docs/decisions/0018-bodies-of-strangers.md).
const MAX_PAGE_BODIES_BYTES = 32 * 1_024 * 1_024;
const SANDBOX = "/api/sandbox";
// The media of test lines: a video has 16 MB at most, and a form around it.
const MAX_SANDBOX_BODY_BYTES = 17 * 1_024 * 1_024;
// A little after the application's own 10 s for a body, which answers with more than we know here.
const REQUEST_TIMEOUT_MS = 10_500;
// Connections that wait while this process is busy; beyond Node's 511 the kernel drops them, and their clients wait for seconds.
const MAX_UNACCEPTED = 4_096;

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
const exchanges = new Exchanges(server);
const pageBodies = new ArrivingBytes(MAX_PAGE_BODIES_BYTES);
let handle;
let isStopping = false;
surviveFaults(() => handle !== undefined);

await new Promise((resolve, reject) => {
  server.once("error", reject);
  server.listen({ port, host: options.hostname, backlog: MAX_UNACCEPTED }, resolve);
}).catch((error) => {
  console.error(error.code === "EADDRINUSE" ? `Port ${port} is taken. Set PORT to another one.` : error.message);
  process.exit(1);
});

// Such as a connection that the system could not hand over; the socket listens on.
server.on("error", (error) => report("listen", error));

const { address, family, port: boundPort } = server.address();
const loopback = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
// What the application has yet to write down when the last answer is given (lib/front-door.ts).
const stopWork = [];
// What instrumentation.ts learns of the request that is being answered.
const failures = new AsyncLocalStorage();
// Next does not wait for instrumentation.ts, which may still refuse the environment or the schema.
const mayOpen = new Promise((open) => {
  globalThis[Symbol.for("switchboard.frontDoor")] = {
    origin: `http://${loopback}:${boundPort}`,
    open,
    stopWork,
    failures,
  };
});

server.on("request", (request, response) => {
  exchanges.add(request, response);
  if (isStopping) response.setHeader("Connection", "close");
  lingerAfterEarlyAnswer(request, response);
  if (!handle)
    return void refuse(request, response, "SERVICE_UNAVAILABLE", "The server is starting. Retry in a second.");
  try {
    serve(request, response);
  } catch (error) {
    fail(request, response, error);
  }
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
  const { request, response } = exchanges.newestOn(socket) ?? {};
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
  if (!isBelow("/api", url)) return MAX_ACTION_BODY_BYTES;
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
  const allowed = isBelow("/api", request.url) ? undefined : methodsOf(pathOf(request.url));
  if (allowed && !allowed.includes(request.method)) {
    const Allow = allowed.join(", ");
    const advice = `${request.method} is not possible here. Use ${Allow}.`;
    return void refuse(request, response, "METHOD_NOT_ALLOWED", advice, { headers: { Allow } });
  }
  const [code, message] = findPathFault(request.url) ?? [];
  if (code && !isBelow("/api", request.url)) return void refuse(request, response, code, message);
  if (code) handOverRefusal(request, code, message);
  if (!METHODS.has(request.method)) {
    // Next would answer by itself; our routes refuse it with the path's own Allow and count it on the limits.
    request.headers["x-switchboard-method"] = request.method;
    request.method = "OPTIONS";
  }
  const failure = { isOfDatabase: false };
  tellDatabaseFailure(response, failure);
  const handOver = () =>
    void failures.run(failure, answer, request, response).catch((error) => fail(request, response, error));
  if (isBelow(PARTNER_API, request.url)) return handOver();
  const maxBytes = maxBytesOf(request.url);
  const size = maxBytes < 1_048_576 ? `${maxBytes / 1_024} KB` : `${maxBytes / 1_048_576} MB`;
  const advice = `The body is larger than ${size}. Send less.`;
  const tooLarge = () => refuse(request, response, "PAYLOAD_TOO_LARGE", advice, { details: { maxBytes } });
  if (declaredBytes(request) > maxBytes) return void tooLarge();
  // Next keeps two copies of a page's body, which neither end nor go when their client hangs up.
  const isAwaited = !isBelow("/api", request.url) && hasBody(request);
  if (isAwaited) awaitWhole(request, response, handOver);
  capBody(request, maxBytes, tooLarge);
  if (!isAwaited) handOver();
}

function awaitWhole(request, response, act) {
  let forget = () => {};
  const arrival = pageBodies.begin(() => {
    forget();
    refuse(request, response, "SERVICE_UNAVAILABLE", "Too many large bodies arrive at once. Retry in a second.");
  });
  response.once("close", () => arrival.end());
  forget = whenWhole(request, arrival, act);
}

/** A public page is rendered once for all strangers (lib/auth/stranger-page.ts); the rest is Next's. */
async function answer(request, response) {
  const asked = globalThis[Symbol.for("switchboard.frontDoor")].answerFirst?.(request);
  const page = asked && (await asked);
  if (!page) return handle(request, response);
  if (!response.closed) response.writeHead(200, page.headers).end(page.body);
}

function fail(request, response, error) {
  report("front-door", error);
  const advice = "Something failed on our side. Retry; a send with the same Idempotency-Key.";
  refuse(request, response, "INTERNAL_ERROR", advice);
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
  const { open } = exchanges;
  console.log(JSON.stringify({ at: new Date().toISOString(), level: "info", event: "stopping", signal, open }));
  stopGracefully({ server, exchanges, stopWork });
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
