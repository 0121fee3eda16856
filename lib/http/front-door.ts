import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { AppError } from "@/lib/core/app-error";
import { ArrivingBytes, BODY_CAPS } from "@/lib/core/arriving-bytes";
import { errorFields, log } from "@/lib/core/log";
import { endWith, type Fault, refuse } from "./answers";
import type { Serve } from "./call";
import { Exchanges, watchReaders } from "./exchanges";
import { mount, nodeBody } from "./mount";
import { proxyTo } from "./pass-on";
import { wholeBody } from "./read-body";
import {
  ALLOW,
  declaredBytes,
  findPathFault,
  guardHeaders,
  hasBody,
  hasOneHost,
  isBelow,
  methodsOf,
  PARTNER_API,
  pathOf,
  refusedPath,
  toPath,
} from "./requests";

/** Paths below /api that Next handles: sign-in, and requests from members' pages. */
const PAGE_PROCESS_PATHS = ["/api/auth", "/api/v1/workspaces"];
const SANDBOX = "/api/sandbox";
/** Slightly longer than the routes' own 10 s for a body, because their error says more. */
const REQUEST_TIMEOUT_MS = 10_500;
/** Memory for all incomplete bodies of page requests (docs/decisions/0030). */
const MAX_PAGE_BODY_BYTES = 32 * 1_024 * 1_024;
/** The listen backlog. With Node's 511 the kernel drops connections under load, and clients wait seconds to retry. */
const MAX_UNACCEPTED = 4_096;
const KEEP_ALIVE_MS = 65_000;
/** Node's default. It drops further headers silently, an Idempotency-Key included. */
const MAX_HEADERS = 1_000;

export type FrontDoorServer = {
  server: Server;
  exchanges: Exchanges;
  /** Whether requests for pages are refused and none has been answered recently. */
  arePagesBusy: () => boolean;
  /** The address for requests from this machine. */
  origin: string;
  /** Makes every response from now on close its connection. */
  startDraining: () => void;
};

type Address = { port: number; hostname: string | undefined };
type Behind = { serveApi: Serve; pagesSocket: string };

/**
 * Listens and handles calls from partners, WhatsApp and operators; proxies the rest to the page process. Throws the
 * system's error if it cannot listen.
 */
export async function listen({ port, hostname }: Address, { serveApi, pagesSocket }: Behind): Promise<FrontDoorServer> {
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 500,
    // Node's own response to a missing Host is not in our error format.
    requireHostHeader: false,
  });
  // One more than the limit, so that too many headers can be detected.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const exchanges = new Exchanges(server);
  watchReaders(exchanges);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: hostname, backlog: MAX_UNACCEPTED }, resolve);
  });
  // For example a failed accept; the socket keeps listening.
  server.on("error", (error) => log("error", "listen", errorFields(error)));
  const { loopback, origin } = reachable(server.address() as AddressInfo);
  const pages = proxyTo(pagesSocket);
  let isStopping = false;
  const serve = dispatcher({ loopback, answer: mount(serveApi, origin), passOn: pages.pass });
  server.on("request", (request, response) => {
    exchanges.add(request, response);
    if (isStopping) response.setHeader("Connection", "close");
    serve(request, response).catch((error: unknown) => {
      log("error", "front-door", errorFields(error));
      refuse(request, response, "INTERNAL_ERROR", FAILED);
    });
  });
  answerOddRequests(server, exchanges);
  const startDraining = () => {
    isStopping = true;
  };
  return { server, exchanges, arePagesBusy: pages.isBusy, origin, startDraining };
}

type Handlers = {
  loopback: string;
  answer: ReturnType<typeof mount>;
  passOn: ReturnType<typeof proxyTo>["pass"];
};

/** Returns what serves each request, or refuses it. */
function dispatcher({ loopback, answer, passOn }: Handlers) {
  const pageBodies = new ArrivingBytes(MAX_PAGE_BODY_BYTES);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    guardHeaders(request);
    const given = toPath(request.url ?? "/");
    const isOfApi = isBelow("/api", given);
    const pathFault = findPathFault(given);
    const path = pathFault && isOfApi ? refusedPath(given) : given;
    request.url = path;
    for (const guard of GUARDS) {
      const refusal = guard({ request, path, isOfApi, pathFault, loopback });
      if (refusal) return refuse(request, response, ...refusal);
    }
    const isOfPages = !isOfApi || PAGE_PROCESS_PATHS.some((root) => isBelow(root, path));
    if (!isOfPages) return answer(request, response, pathFault);
    if (!hasBody(request)) return passOn(request, response);
    // Until it is whole, so that an aborted request never reaches a handler. The server's own time-out applies.
    const body = await wholeBody(nodeBody(request), { maxBytes: mostBytesOf(path), arriving: pageBodies });
    if (body === "tooLarge") return refuse(request, response, ...tooLarge(path));
    if (body === "evicted") return refuse(request, response, "SERVICE_UNAVAILABLE", TOO_MANY_BODIES);
    if (typeof body === "string") return void response.destroy();
    return passOn(request, response, body);
  };
}

type Asked = {
  request: IncomingMessage;
  path: string;
  isOfApi: boolean;
  pathFault: AppError | undefined;
  loopback: string;
};
type Refusal = Parameters<typeof refuse> extends [unknown, unknown, ...infer Rest] ? Rest : never;
const CLOSING = { headers: { Connection: "close" } };

/** Why a request is refused before anything serves it; the first that applies. */
const GUARDS: readonly ((asked: Asked) => Refusal | false)[] = [
  ({ request }) => hasTooManyHeaders(request) && ["HEADERS_TOO_LARGE", TOO_MANY_HEADERS, CLOSING],
  ({ request, loopback }) => !hasOneHost(request, loopback) && ["VALIDATION_ERROR", NO_HOST, CLOSING],
  ({ path }) => !path.startsWith("/") && ["VALIDATION_ERROR", "Send a path in the request line."],
  ({ request, path, isOfApi }) => !isOfApi && refusedMethod(request.method ?? "", methodsOf(pathOf(path))),
  // The API's own routes say what is wrong with a path, after they have counted the call.
  ({ isOfApi, pathFault }) => !isOfApi && pathFault !== undefined && [pathFault.code, pathFault.message],
  // The partner API counts a call on its limits before it looks at the size.
  ({ request, path }) => !isBelow(PARTNER_API, path) && declaredBytes(request) > mostBytesOf(path) && tooLarge(path),
];

function refusedMethod(method: string, allowed: readonly string[]): Refusal | false {
  if (allowed.includes(method)) return false;
  const headers = { Allow: allowed.join(", ") };
  return ["METHOD_NOT_ALLOWED", `${method} is not allowed here. Use ${headers.Allow}.`, { headers }];
}

function answerOddRequests(server: Server, exchanges: Exchanges): void {
  server.on("checkContinue", (request, response) => {
    // Refuses a body before it is sent if its Content-Length is too large.
    const isTooLarge = declaredBytes(request) > mostBytesOf(toPath(request.url ?? "/"));
    if (!isTooLarge && !hasTooManyHeaders(request)) response.writeContinue();
    server.emit("request", request, response);
  });
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => {
    endWith(socket, "METHOD_NOT_ALLOWED", `CONNECT is not allowed here. Use ${ALLOW.Allow}.`, ALLOW);
  });
  server.on("clientError", (error, socket) => answerBrokenRequest(exchanges, error, socket));
}

const FAILED = "Something failed on our side. Retry; for a send, use the same Idempotency-Key.";
const NO_HOST = "Send one Host header with a host's name.";
const TOO_MANY_HEADERS = "The request has more than 1,000 headers. Send fewer.";
const TOO_MANY_BODIES = "Too many large requests right now. Retry in a second.";

const CLIENT_ERRORS: Record<string, [Fault, string, Record<string, string>?]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request did not arrive within 10 s. Send it whole and at once."],
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The headers are larger than 16 KB. Shorten them."],
  HPE_INVALID_METHOD: ["METHOD_NOT_ALLOWED", `This HTTP method does not exist. Use ${ALLOW.Allow}.`, ALLOW],
};
const NO_REQUEST: [Fault, string] = [
  "VALIDATION_ERROR",
  "This is not a valid HTTP request. Send it with an HTTP client.",
];

function answerBrokenRequest(exchanges: Exchanges, { code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const end = () => {
    if (socket.writable) endWith(socket, ...(CLIENT_ERRORS[code ?? ""] ?? NO_REQUEST));
    else socket.destroy();
  };
  const { request, response } = exchanges.newestOn(socket) ?? {};
  if (!response || response.closed) return void end();
  // Answer a complete earlier request first, or its client would take this error for the response to its send.
  if (request?.complete) return void response.once("close", end);
  if (response.headersSent) return void socket.destroy();
  end();
}

function hasTooManyHeaders({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length / 2 > MAX_HEADERS;
}

function mostBytesOf(path: string): number {
  if (isBelow(PARTNER_API, path)) return BODY_CAPS.call;
  if (!isBelow("/api", path)) return BODY_CAPS.action;
  return isBelow(SANDBOX, path) ? BODY_CAPS.sandbox : BODY_CAPS.webhook;
}

function tooLarge(path: string): Refusal {
  const maxBytes = mostBytesOf(path);
  const size = maxBytes < 1_048_576 ? `${maxBytes / 1_024} KB` : `${maxBytes / 1_048_576} MB`;
  return ["PAYLOAD_TOO_LARGE", `The body is larger than ${size}. Send less.`, { details: { maxBytes } }];
}

function reachable({ address, family, port }: AddressInfo): { loopback: string; origin: string } {
  const isEvery = address === "0.0.0.0" || address === "::";
  const loopback = isEvery ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return { loopback, origin: `http://${loopback}:${port}` };
}
