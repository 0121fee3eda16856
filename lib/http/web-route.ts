import { newId } from "@/lib/core/new-id";
import { hasFrontDoor, startFault } from "@/lib/core/own-server";
import type { Answer, BodySource, Call, Serve } from "./call";
import { METHOD_HEADER, peerOf, REPEATED_HEADERS_HEADER } from "./request-headers";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

type Method = (typeof METHODS)[number];

/** The path parameters: `messageId` of `messages/[messageId]`; a catch-all parameter is a list. */
type Context = { params: Promise<Record<string, string | string[]>> };

export type RouteMethods = Record<Method, (request: Request, context: Context) => Promise<Response>>;

/** A route file's exports. Defines every method, so that Next never sends its own 405, without `Allow` and our error format. */
export function webRoute(serve: Serve): RouteMethods {
  const at = (method: Method) => async (request: Request, context: Context) =>
    startFault.environment ? misconfigured() : toResponse(method, await serve(await callOf(request, method, context)));
  return Object.fromEntries(METHODS.map((method) => [method, at(method)])) as RouteMethods;
}

async function callOf(request: Request, method: Method, { params }: Context): Promise<Call> {
  const { headers } = request;
  const isOurs = hasFrontDoor();
  const parts = Object.entries((await params) ?? {});
  return {
    method: (isOurs && headers.get(METHOD_HEADER)) || method,
    url: new URL(request.url),
    headers,
    repeated: isOurs ? (headers.get(REPEATED_HEADERS_HEADER) ?? "").split(",") : undefined,
    peer: peerOf(headers),
    body: streamSource(request),
    fault: undefined,
    params: Object.fromEntries(parts.flatMap(([name, part]) => (typeof part === "string" ? [[name, part]] : []))),
  };
}

/** The Response that holds an answer. */
export function toResponse(method: string, { status, headers: given, body }: Answer): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) for (const one of [value].flat()) headers.append(name, one);
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

/** The web's own request, for code that is written for it. */
export function toRequest({ method, url, headers, body }: Call): Request {
  const isKnown = METHODS.some((known) => known === method);
  const init: RequestInit & { duplex: "half" } = {
    method: isKnown ? method : "OPTIONS",
    headers: [...headers],
    duplex: "half",
  };
  if (isKnown && method !== "GET" && method !== "HEAD") init.body = streamOf(body);
  return new Request(url, init);
}

/** Takes nothing of a body before it is read: one that is refused by its head may be of any size. */
function streamOf(source: BodySource): ReadableStream<Uint8Array> {
  let stop: (() => void) | undefined;
  let isOver = false;
  const once = (act: () => void) => () => {
    if (!isOver) act();
    isOver = true;
  };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    stop ??= source({
      chunk: (bytes) => controller.enqueue(bytes),
      end: once(() => controller.close()),
      // Node says so of a whole body, too, where it may not have been read yet.
      cut: once(() => controller.error(new Error("the body was cut off"))),
    });
  };
  return new ReadableStream({ pull, cancel: once(() => stop?.()) }, { highWaterMark: 0 });
}

/** The body of a web request. */
export function streamSource(request: Request): BodySource {
  return ({ chunk, end, cut }) => {
    const reader = request.body?.getReader();
    const read = async () => {
      for (;;) {
        const part = await reader?.read();
        if (!part || part.done) return end();
        chunk(part.value);
      }
    };
    read().catch(cut);
    // proxy.ts gets a copy of the body, which does not end when the client disconnects.
    request.signal.addEventListener("abort", cut);
    return () => {
      request.signal.removeEventListener("abort", cut);
      reader?.cancel().catch(() => {});
    };
  };
}

/** The response to every call while the environment is invalid; the docs URL is unknown then. */
function misconfigured(): Response {
  const message = "This server's environment is incomplete: its log names what is missing. Retry once that is done.";
  const details = { requestId: newId("req"), docsUrl: "/docs/errors/SERVICE_UNAVAILABLE", retryable: true };
  const body = { error: "SERVICE_UNAVAILABLE", message, details: { ...details, retryAfterSeconds: 60 } };
  return Response.json(body, { status: 503, headers: { "Retry-After": "60", "Cache-Control": "no-store" } });
}
