import type { IncomingMessage } from "node:http";
import { env } from "@/lib/core/env";
import { callerAddress } from "@/lib/public-api/caller-address";
import { METHODS as ROUTE_METHODS } from "@/lib/public-api/methods";
import {
  METHOD_HEADER,
  REFUSAL_HEADER,
  REPEATED_HEADERS_HEADER,
  SOCKET_ADDRESS_HEADER,
} from "@/lib/public-api/request-headers";

export const PARTNER_API = "/api/v1/public";
export const METHODS: ReadonlySet<string> = new Set(ROUTE_METHODS);
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

/** What a client made up about itself never counts; what the socket says does. */
export function guardHeaders(request: IncomingMessage): void {
  const { headers } = request;
  for (const name of FORGEABLE_HEADERS) delete headers[name];
  // No other protocol is taken up, and Next could not pass an action on with it.
  delete headers.upgrade;
  for (const name of Object.keys(headers)) {
    if (OWN_HEADERS.test(name)) delete headers[name];
  }
  // Next compares an action's Origin with this; proxies in front may have written a Host of their own.
  headers["x-forwarded-host"] = new URL(env().APP_URL).host;
  // One reading for our own answers and Next's, which must not differ.
  if (takesGzip(`${headers["accept-encoding"] ?? ""}`)) headers["accept-encoding"] = "gzip";
  else delete headers["accept-encoding"];
  headers[SOCKET_ADDRESS_HEADER] = request.socket.remoteAddress ?? "";
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const given of rawNames(request)) {
    const name = given.toLowerCase();
    if (SINGLE_HEADERS.has(name) && seen.has(name)) repeated.add(name);
    seen.add(name);
  }
  if (repeated.size > 0) headers[REPEATED_HEADERS_HEADER] = [...repeated].join(",");
}

/** Whether an Accept-Encoding prefers gzip to the plain bytes, or likes both alike (RFC 9110, 12.5.3). */
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

/** The address by which a request shares what is bounded, once `guardHeaders` has seen it. */
export function addressOf({ headers }: IncomingMessage): string {
  return callerAddress({ get: (name) => headers[name]?.toString() ?? null });
}

/** Our routes refuse it, so that it counts on their limits. */
export function handOverRefusal(request: IncomingMessage, code: string, message: string): void {
  request.headers[REFUSAL_HEADER] = `${code} ${message}`;
  request.url = isBelow(PARTNER_API, request.url ?? "/") ? `${PARTNER_API}/refused` : "/api/refused";
}

/** A method that no route has goes to one that refuses it with the path's own `Allow`, and counts it on the limits. */
export function handOverMethod(request: IncomingMessage): void {
  request.headers[METHOD_HEADER] = request.method;
  request.method = "OPTIONS";
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
 * A whole address in the request line means its path; the host in it is only the caller's word. Parts that are `..` are
 * resolved here, so that whatever looks at the path sees the one that is served.
 */
export function toPath(target: string): string {
  const given = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? target;
  const path = given === "" || given.startsWith("?") ? `/${given}` : given;
  if (!/^\/(?!\/)/.test(path) || !DOTS.test(pathOf(path))) return path;
  const { pathname, search } = new URL(path, "http://localhost");
  return `${pathname}${search}`;
}

const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** One Host that is a host; HTTP/1.0 may come without. */
export function hasOneHost(request: IncomingMessage, ownHost: string): boolean {
  const given = rawNames(request).filter((name) => name.toLowerCase() === "host");
  if (given.length === 0 && request.httpVersion === "1.0") request.headers.host = ownHost;
  return given.length <= 1 && HOST.test(request.headers.host ?? "");
}

export function findPathFault(url: string): ["NOT_FOUND" | "VALIDATION_ERROR", string] | undefined {
  const path = pathOf(url);
  if (/\/\/|\\/.test(path)) return ["NOT_FOUND", "This path does not exist: it has an empty part."];
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return ["VALIDATION_ERROR", "The path has a broken percent-encoding. Write a percent sign as %25."];
  }
}

const rawNames = ({ rawHeaders }: IncomingMessage): string[] => rawHeaders.filter((_, i) => i % 2 === 0);
