import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AppError } from "@/lib/core/app-error";
import type { RouteMethod } from "@/lib/public-api/api-route";
import { attachExtras, type BodySource, type Written } from "@/lib/public-api/read-body";
import { hasBody, pathOf, writeHead } from "./requests";

/** A route file, as Next mounts it too. */
export type Route = Partial<Record<string, RouteMethod>>;

/** `*` at the end of a path matches the rest. */
export type MountedRoute = {
  path: string;
  route: Route;
  /** Whether it reads its body as a web stream, and not through `readBody`. */
  readsStream?: boolean;
};

const PACKED_FROM_BYTES = 4_096;
/** A higher level costs more CPU than it saves. */
const GZIP_LEVEL = 1;

/**
 * Answers requests of Node's server from route files, which know only the web's own Request and Response. `refusal` is
 * passed to the route, which returns it.
 */
export function mount(routes: readonly MountedRoute[], origin: string) {
  const patterns = routes.map((mounted) => ({ mounted, pattern: patternOf(mounted.path) }));
  return async (request: IncomingMessage, response: ServerResponse, refusal: AppError | undefined): Promise<void> => {
    const path = pathOf(request.url ?? "/");
    for (const { mounted, pattern } of patterns) {
      if (!pattern.test(path)) continue;
      const handler = mounted.route[request.method ?? "GET"];
      if (!handler) throw new Error(`${mounted.path} has no ${request.method}`);
      const context = { params: Promise.resolve({}) };
      return write(request, response, await handler(toRequest(request, { origin, mounted, refusal }), context));
    }
    throw new Error("no route is mounted here");
  };
}

/** First match wins; a trailing slash is ignored. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\/\*$/, "(?:/.*)?")}/*$`);

type Mounting = { origin: string; mounted: MountedRoute; refusal: AppError | undefined };

const toRequest = (incoming: IncomingMessage, { origin, mounted, refusal }: Mounting): Request => {
  const request = lightRequest(incoming, origin);
  if (mounted.readsStream && request.method !== "GET" && request.method !== "HEAD" && hasBody(incoming)) {
    const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
    const { url, method } = request;
    return new Request(url, { method, headers: new Headers(request.headers), body, duplex: "half" } as RequestInit);
  }
  return attachExtras(request, { body: nodeBody(incoming), refusal });
};

const write = async (request: IncomingMessage, response: ServerResponse, answer: Response): Promise<void> => {
  const { status, headers, body: whole } = await writtenOf(answer);
  let [body, length] = [whole, Buffer.byteLength(whole)];
  if (length >= PACKED_FROM_BYTES) {
    headers.vary = "Accept-Encoding";
    if (request.headers["accept-encoding"] === "gzip") {
      headers["content-encoding"] = "gzip";
      body = await promisify(gzip)(whole, { level: GZIP_LEVEL });
      length = body.byteLength;
    }
  }
  if (response.closed) return;
  if (request.method !== "HEAD" && status !== 204) headers["content-length"] = length;
  writeHead(request, response, status, headers);
  response.end(body);
};

type Whole = { status: number; headers: OutgoingHttpHeaders; body: string | Buffer };

/** A route's answer with its body: one of ours as it is, another from the web's own Response. */
const writtenOf = async (answer: Response | Written): Promise<Whole> => {
  if (!(answer instanceof Response))
    return { status: answer.status, headers: { ...answer.headers }, body: answer.text };
  const headers: OutgoingHttpHeaders = Object.fromEntries(answer.headers);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  return { status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer()) };
};

/**
 * A request whose method, URL and headers are Node's own. Web objects cost a short call a twentieth of its CPU, so they are
 * created only when another property is read; the body is attached separately.
 */
export function lightRequest(incoming: IncomingMessage, origin: string): Request {
  return new LightRequest(incoming, origin) as LightRequest & Request;
}

/** The body of Node's own request. */
export function nodeBody(request: IncomingMessage): BodySource {
  return ({ chunk, end, cut }) => {
    const stop = () => {
      request.off("data", chunk).off("end", end).off("close", cut);
      // Discard the rest, so that a client that is still sending can read its response.
      request.resume();
    };
    request.on("data", chunk).on("end", end).on("close", cut);
    // It may have ended before there was a listener.
    if (request.destroyed && !request.complete) cut();
    return stop;
  };
}

class LightRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;

  constructor({ method = "GET", url, headers }: IncomingMessage, origin: string) {
    this.method = method;
    this.url = new URL(`${origin}${url}`).href;
    this.headers = new LightHeaders(headers) as LightHeaders & Headers;
  }

  toWeb(): Request {
    return new Request(this.url, { method: this.method, headers: new Headers(this.headers) });
  }
}

class LightHeaders {
  readonly #given: IncomingHttpHeaders;

  constructor(given: IncomingHttpHeaders) {
    this.#given = given;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
    return value === undefined ? null : toText(value);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  toWeb(): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.#given)) {
      if (value !== undefined) headers.set(name, toText(value));
    }
    return headers;
  }
}

const toText = (value: string | string[]): string => (Array.isArray(value) ? value.join(", ") : value);

/** Completes `light`: missing properties are read from a lazily created web object, one for each instance. */
const complete = (light: { toWeb: () => object }, web: object): void => {
  const made = new WeakMap<object, object>();
  for (const name of Reflect.ownKeys(web)) {
    if (Reflect.has(light, name)) continue;
    const get = function (this: typeof light) {
      const own = made.get(this) ?? this.toWeb();
      made.set(this, own);
      const value: unknown = Reflect.get(own, name);
      return typeof value === "function" ? value.bind(own) : value;
    };
    Object.defineProperty(light, name, { get });
  }
  Object.setPrototypeOf(light, web);
};

complete(LightRequest.prototype, Request.prototype);
complete(LightHeaders.prototype, Headers.prototype);
