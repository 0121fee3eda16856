import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { giveBody } from "@/lib/core/request-bytes";
import type { RouteMethod } from "@/lib/public-api/methods";
import { writeHead } from "./answers";
import { nodeBody } from "./node-body";
import { hasBody, pathOf } from "./requests";

/** A route file, as Next mounts it too. */
export type Route = Partial<Record<string, RouteMethod>>;

/** `:name` in a path stands for one part of it, `*` for the rest. */
export type MountedRoute = {
  path: string;
  route: Route;
  /** Whether it reads its body as a web stream, and not through `readBody`. */
  readsStream?: boolean;
};

const PACKED_FROM_BYTES = 4_096;
/** Packing harder costs more CPU than it saves. */
const GZIP_LEVEL = 1;

/** Answers requests of Node's server from route files, which know only the web's own Request and Response. */
export function mount(routes: readonly MountedRoute[], origin: string) {
  const patterns = routes.map((mounted) => ({ mounted, pattern: patternOf(mounted.path) }));
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request.url ?? "/");
    for (const { mounted, pattern } of patterns) {
      const found = pattern.exec(path);
      if (!found) continue;
      const handler = mounted.route[request.method ?? "GET"];
      if (!handler) throw new Error(`${mounted.path} has no ${request.method}`);
      const named = Object.entries(found.groups ?? {}).map(([name, part]) => [name, decodeURIComponent(part)]);
      const context = { params: Promise.resolve(Object.fromEntries(named)) };
      return write(request, response, await handler(toRequest(request, origin, mounted), context));
    }
    throw new Error("no route is mounted here");
  };
}

/** First match wins; a trailing slash is ignored. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\/\*$/, "(?:/.*)?").replace(/:(\w+)/g, "(?<$1>[^/]+)")}/*$`);

const toRequest = (incoming: IncomingMessage, origin: string, { readsStream }: MountedRoute): Request => {
  const { method = "GET", url } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  if (readsStream && method !== "GET" && method !== "HEAD" && hasBody(incoming)) {
    const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
    return new Request(`${origin}${url}`, { method, headers, body, duplex: "half" } as RequestInit);
  }
  return giveBody(new Request(`${origin}${url}`, { method, headers }), nodeBody(incoming));
};

const write = async (request: IncomingMessage, response: ServerResponse, answer: Response): Promise<void> => {
  const whole = Buffer.from(await answer.arrayBuffer());
  const isPacked = whole.byteLength >= PACKED_FROM_BYTES && request.headers["accept-encoding"] === "gzip";
  const body = isPacked ? await promisify(gzip)(whole, { level: GZIP_LEVEL }) : whole;
  if (response.closed) return;
  const headers: OutgoingHttpHeaders = Object.fromEntries(answer.headers);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  if (whole.byteLength >= PACKED_FROM_BYTES) headers.vary = "Accept-Encoding";
  if (isPacked) headers["content-encoding"] = "gzip";
  if (request.method !== "HEAD" && answer.status !== 204) headers["content-length"] = body.byteLength;
  writeHead(request, response, answer.status, headers);
  response.end(body);
};
