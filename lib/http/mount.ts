import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AppError } from "@/lib/core/app-error";
import type { Answer, BodySource, Call, CallHeaders, Serve } from "./call";
import { repeatedIn, writeHead } from "./requests";

const PACKED_FROM_BYTES = 4_096;
/** A higher level costs more CPU than it saves. */
const GZIP_LEVEL = 1;

/** Answers requests of Node's server by `serve`. `fault` is what is wrong with the path. */
export function mount(serve: Serve, origin: string) {
  return async (request: IncomingMessage, response: ServerResponse, fault: AppError | undefined): Promise<void> =>
    write(request, response, await serve(toCall(request, origin, fault)));
}

/** A call of Node's own request. Web objects would cost a short call a twentieth of its CPU. */
export function toCall(request: IncomingMessage, origin: string, fault?: AppError): Call {
  const { method = "GET", url = "/" } = request;
  return {
    method,
    url: new URL(`${origin}${url}`),
    headers: headersOf(request),
    repeated: repeatedIn(request),
    peer: request.socket.remoteAddress ?? "",
    body: nodeBody(request),
    fault,
    params: {},
  };
}

function headersOf({ headers }: IncomingMessage): CallHeaders {
  return {
    get: (name) => {
      const key = name.toLowerCase();
      const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
      return value === undefined ? null : toText(value);
    },
    *[Symbol.iterator]() {
      for (const [name, value] of Object.entries(headers)) if (value !== undefined) yield [name, toText(value)];
    },
  };
}

function toText(value: string | string[]): string {
  return Array.isArray(value) ? value.join(", ") : value;
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

async function write(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const isHead = request.method === "HEAD";
  const headers: OutgoingHttpHeaders = { ...answer.headers };
  let body: string | Buffer = isHead ? "" : await wholeOf(answer.body);
  let length = Buffer.byteLength(body);
  if (length >= PACKED_FROM_BYTES) {
    headers.vary = "Accept-Encoding";
    if (request.headers["accept-encoding"] === "gzip") {
      headers["content-encoding"] = "gzip";
      body = await promisify(gzip)(body, { level: GZIP_LEVEL });
      length = body.byteLength;
    }
  }
  if (response.closed) return;
  if (!isHead && answer.status !== 204) headers["content-length"] = length;
  writeHead(request, response, answer.status, headers);
  response.end(body);
}

async function wholeOf(body: Answer["body"]): Promise<string | Buffer> {
  return typeof body === "string" ? body : Buffer.from(await new Response(body).arrayBuffer());
}
