import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { AppError, type ErrorCode } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import {
  callerIp,
  METHOD_HEADER,
  REPEATED_HEADERS_HEADER,
  rateLimitAddress,
  SOCKET_ADDRESS_HEADER,
} from "./request-headers";
import { METHODS as ROUTE_METHODS } from "./web-route";

export const PARTNER_API = "/api/v1/public";
const METHODS: ReadonlySet<string> = new Set(ROUTE_METHODS);
export const ALLOW = { Allow: ROUTE_METHODS.join(", ") };
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const FORGEABLE_HEADERS = ["x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-real-ip", "forwarded"];
const OWN_HEADERS = /^x-(?:switchboard|middleware|vercel)-/;

const SINGLE_HEADERS = new Set([
  "idempotency-key",
  "apikey",
  "apisecret",
  "x-api-key",
  "x-api-secret",
  "x-hub-signature-256",
]);

/** Removes headers that a client could forge. */
export function guardHeaders(request: IncomingMessage): void {
  const { headers } = request;
  for (const name of FORGEABLE_HEADERS) delete headers[name];
  // We support no protocol upgrade, and Next could not forward an action with it.
  delete headers.upgrade;
  for (const name of Object.keys(headers)) {
    if (OWN_HEADERS.test(name)) delete headers[name];
  }
  // Next compares an action's Origin with this; proxies in front may have written a Host of their own.
  headers["x-forwarded-host"] = ownHost();
  // Normalized, so that our own responses and Next's agree.
  if (takesGzip(`${headers["accept-encoding"] ?? ""}`)) headers["accept-encoding"] = "gzip";
  else delete headers["accept-encoding"];
}

/** The names of headers that must not repeat and did: Node keeps one of them, or joins them. */
export function repeatedIn(request: IncomingMessage): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const given of rawNames(request)) {
    const name = given.toLowerCase();
    if (SINGLE_HEADERS.has(name) && seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  return [...repeated];
}

/** What a request's headers cannot say, as headers for the page process, whose framework has handlers for known methods only. */
export function handedOn(request: IncomingMessage): { method: string; headers: Record<string, string> } {
  const { method = "GET" } = request;
  const repeated = repeatedIn(request);
  return {
    method: METHODS.has(method) ? method : "OPTIONS",
    headers: {
      [SOCKET_ADDRESS_HEADER]: request.socket.remoteAddress ?? "",
      ...(repeated.length > 0 && { [REPEATED_HEADERS_HEADER]: repeated.join(",") }),
      ...(!METHODS.has(method) && { [METHOD_HEADER]: method }),
    },
  };
}

let appHost: string | undefined;
function ownHost(): string {
  appHost ??= new URL(env().APP_URL).host;
  return appHost;
}

/** Returns whether an Accept-Encoding prefers gzip to plain bytes, or accepts both equally (RFC 9110, 12.5.3). */
export function takesGzip(header: string): boolean {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((word) => word.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "");
    weights.set(coding === "x-gzip" ? "gzip" : coding, q === undefined ? 1 : Number(q) || 0);
  }
  const gzip = weights.get("gzip") ?? weights.get("*") ?? 0;
  return gzip > 0 && gzip >= (weights.get("identity") ?? weights.get("*") ?? 0);
}

/** Returns the client address that limits apply to. Call `guardHeaders` first. */
export function addressOf({ headers, socket }: IncomingMessage): string {
  const get = (name: string) => headers[name]?.toString() ?? null;
  return rateLimitAddress(callerIp({ headers: { get }, peer: socket.remoteAddress ?? "" }));
}

/** A path that only the 404 route matches, so the refusal counts against the rate limits. */
export function refusedPath(path: string): string {
  return isBelow(PARTNER_API, path) ? `${PARTNER_API}/refused` : "/api/refused";
}

export function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? "";
}

export function isBelow(root: string, path: string): boolean {
  const collapsed = pathOf(path).replace(/\/{2,}/g, "/");
  return collapsed === root || collapsed.startsWith(`${root}/`);
}

export function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

export function hasBody(request: IncomingMessage): boolean {
  return declaredBytes(request) > 0 || request.headers["transfer-encoding"] !== undefined;
}

/**
 * Returns the path of a request target. An absolute URL's host is ignored: the caller chose it. `..` segments are
 * resolved here, so that every check sees the path that is served.
 */
export function toPath(target: string): string {
  const given = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target;
  const path = given === "" || given.startsWith("?") ? `/${given}` : given;
  if (!/^\/(?!\/)/.test(path) || !DOTS.test(pathOf(path))) return path;
  const { pathname, search } = new URL(path, "http://localhost");
  return `${pathname}${search}`;
}

const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Returns whether there is exactly one valid Host header; HTTP/1.0 may omit it. */
export function hasOneHost(request: IncomingMessage, ownHost: string): boolean {
  const given = rawNames(request).filter((name) => name.toLowerCase() === "host");
  if (given.length === 0 && request.httpVersion === "1.0") request.headers.host = ownHost;
  return given.length <= 1 && HOST.test(request.headers.host ?? "");
}

export function findPathFault(url: string): AppError | undefined {
  const path = pathOf(url);
  const fault = (code: ErrorCode, message: string) => new AppError(code, message, { details: { retryable: false } });
  if (/\/\/|\\/.test(path)) return fault("NOT_FOUND", "This path does not exist: it has an empty part.");
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return fault("VALIDATION_ERROR", "The path has a broken percent-encoding. Write a percent sign as %25.");
  }
}

const rawNames = ({ rawHeaders }: IncomingMessage): string[] => rawHeaders.filter((_, i) => i % 2 === 0);

const FILES = new Set([
  "/icon.svg",
  "/favicon.ico",
  "/openapi.json",
  "/llms.txt",
  "/docs.md",
  "/docs/client.ts",
  "/docs/search-index.json",
  "/robots.txt",
  "/sitemap.xml",
  "/og.png",
]);
const FOLDERS = /^\/(?:_next|samples|markdown)\//;
const MARKDOWN = /^\/docs\/.*\.md$/;
/** Packages of every client version. `proxy.ts` treats them as pages: a missing version gets the 404 page. */
const PACKAGE = /^\/docs\/switchboard[-_]client-[\w.-]+\.(?:tgz|whl)$/;

/**
 * Returns whether a path outside /api is a read-only file or route without server actions. `proxy.ts` skips the
 * same paths, in a matcher that Next reads statically.
 */
export function isPublicFile(pathname: string): boolean {
  const path = pathname.replace(/\/+$/, "");
  return FILES.has(path) || FOLDERS.test(pathname) || MARKDOWN.test(path) || PACKAGE.test(path);
}

/** The methods of a path outside /api. Pages are read, and their server actions are posted to them. */
export function methodsOf(pathname: string): string[] {
  return isPublicFile(pathname) ? ["GET", "HEAD"] : ["GET", "HEAD", "POST"];
}

export const LINGER_MS = 1_000;
/** Reading and discarding the rest of such a body costs less than a new connection. */
const DISCARDED_BYTES = 64 * 1_024;

/** Writes the head. Closes the connection if the body is incomplete, unless the rest is known to be small. */
export function writeHead(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
): void {
  if (hasBody(request) && !request.complete && !isSmall(request)) {
    const { socket } = request;
    response.setHeader("Connection", "close");
    // Node would close the socket now, and its reset can overtake the response (tests/long/hang-ups.test.ts).
    socket.destroySoon = () => {
      socket.end();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    };
  }
  response.writeHead(status, headers);
}

const isSmall = (request: IncomingMessage): boolean =>
  request.headers["transfer-encoding"] === undefined && declaredBytes(request) <= DISCARDED_BYTES;
