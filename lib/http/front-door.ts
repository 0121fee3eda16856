import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
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
  let isStopping = false;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: hostname, backlog: MAX_UNACCEPTED }, resolve);
  });
  // For example a failed accept; the socket keeps listening.
  server.on("error", (error) => log("error", "listen", errorFields(error)));
  const { loopback, origin } = reachable(server.address() as AddressInfo);
  const answer = mount(serveApi, origin);
  const pages = proxyTo(pagesSocket);
  const pageBodies = new ArrivingBytes(MAX_PAGE_BODY_BYTES);

  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown) => {
    log("error", "front-door", errorFields(error));
    refuse(request, response, "INTERNAL_ERROR", FAILED);
  };

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    guardHeaders(request);
    const refusal = (fault: Fault, message: string) => refuse(request, response, fault, message);
    if (hasTooManyHeaders(request)) {
      response.setHeader("Connection", "close");
      return void refusal("HEADERS_TOO_LARGE", TOO_MANY_HEADERS);
    }
    if (!hasOneHost(request, loopback)) {
      response.setHeader("Connection", "close");
      return void refusal("VALIDATION_ERROR", "Send one Host header with a host's name.");
    }
    request.url = toPath(request.url ?? "/");
    if (!request.url.startsWith("/")) return void refusal("VALIDATION_ERROR", "Send a path in the request line.");
    const isOfApi = isBelow("/api", request.url);
    const allowed = isOfApi ? undefined : methodsOf(pathOf(request.url));
    if (allowed && !allowed.includes(request.method ?? "")) {
      const headers = { Allow: allowed.join(", ") };
      const advice = `${request.method} is not allowed here. Use ${headers.Allow}.`;
      return void refuse(request, response, "METHOD_NOT_ALLOWED", advice, { headers });
    }
    const pathFault = findPathFault(request.url);
    if (pathFault && !isOfApi) return void refusal(pathFault.code, pathFault.message);
    if (pathFault) request.url = refusedPath(request.url);
    const path = request.url;
    const isOfPages = !isOfApi || PAGE_PROCESS_PATHS.some((root) => isBelow(root, path));
    // The partner API counts a call on its limits before it looks at the size.
    if (!isBelow(PARTNER_API, path) && declaredBytes(request) > mostBytesOf(path))
      return void tooLarge(request, response);
    const done = isOfPages ? passWithBody(request, response) : answer(request, response, pathFault);
    void done.catch((error: unknown) => fail(request, response, error));
  };

  const passWithBody = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!hasBody(request)) return pages.pass(request, response);
    const maxBytes = mostBytesOf(request.url ?? "/");
    // Until it is whole, so that an aborted request never reaches a handler. The server's own time-out applies.
    const body = await wholeBody(nodeBody(request), { maxBytes, arriving: pageBodies });
    if (body === "tooLarge") return void tooLarge(request, response);
    if (body === "evicted") return void refuse(request, response, "SERVICE_UNAVAILABLE", TOO_MANY_BODIES);
    if (typeof body === "string") return void response.destroy();
    await pages.pass(request, response, body);
  };

  server.on("request", (request, response) => {
    exchanges.add(request, response);
    if (isStopping) response.setHeader("Connection", "close");
    try {
      serve(request, response);
    } catch (error) {
      fail(request, response, error);
    }
  });
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

  return {
    server,
    exchanges,
    arePagesBusy: pages.isBusy,
    origin,
    startDraining: () => {
      isStopping = true;
    },
  };
}

const FAILED = "Something failed on our side. Retry; for a send, use the same Idempotency-Key.";
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

const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean => rawHeaders.length / 2 > MAX_HEADERS;

function mostBytesOf(path: string): number {
  if (isBelow(PARTNER_API, path)) return BODY_CAPS.call;
  if (!isBelow("/api", path)) return BODY_CAPS.action;
  return isBelow(SANDBOX, path) ? BODY_CAPS.sandbox : BODY_CAPS.webhook;
}

function tooLarge(request: IncomingMessage, response: ServerResponse): void {
  const maxBytes = mostBytesOf(request.url ?? "/");
  const size = maxBytes < 1_048_576 ? `${maxBytes / 1_024} KB` : `${maxBytes / 1_048_576} MB`;
  const details = { maxBytes };
  refuse(request, response, "PAYLOAD_TOO_LARGE", `The body is larger than ${size}. Send less.`, { details });
}

function reachable({ address, family, port }: AddressInfo): { loopback: string; origin: string } {
  const isEvery = address === "0.0.0.0" || address === "::";
  const loopback = isEvery ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return { loopback, origin: `http://${loopback}:${port}` };
}
