import { DatabaseUnavailable } from "@/db/client";
import { AppError, internalError, methodNotAllowed } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import { maskedPath } from "@/lib/core/phone";
import { hasFrontDoor, startFault } from "@/lib/core/process-wide";
import { count, observe } from "@/lib/core/telemetry";
import { refusalOf, type Written } from "./read-body";
import { requestMethod } from "./request-headers";

export type ApiHandler = (call: {
  request: Request;
  requestId: string;
  params: Record<string, string>;
}) => Promise<Response>;

type Handlers = Partial<Record<"GET" | "POST", ApiHandler>>;

/** Wraps routes under /api outside the partner API: same errors and headers, but their own limits and keys. */
export function apiRoute(handlers: Handlers): RouteMethods {
  return methodTable((incoming) => serve(incoming, handlers));
}

/** For how long it may be cached. Errors are never cached. */
type Caching = { maxAgeSeconds?: number };

/** A public file, made at its first request: it depends on the deployment only. */
export function publicFile(contentType: string, make: () => string | Promise<string>, caching?: Caching): RouteMethods {
  let text: string | undefined;
  const GET = async () => {
    text ??= await make();
    return new Response(text, { headers: { "Content-Type": contentType } });
  };
  return methodTable((incoming) => serve(incoming, { GET }, caching));
}

const NAMED = /^\/api\/(webhooks|cron|health|metrics|auth|v1\/listen|v1\/workspaces)(?=\/|$)/;

/** A metric's label, so one of few. */
const nameOf = (path: string): string => NAMED.exec(path)?.[1] ?? "other";

const serve = async (
  incoming: Incoming,
  handlers: Partial<Record<string, ApiHandler>>,
  { maxAgeSeconds }: Caching = {},
): Promise<Response> => {
  const { method, request, context } = incoming;
  const requestId = newId("req");
  const startedAtMs = performance.now();
  const endpoint = nameOf(new URL(request.url).pathname);
  let response: Response;
  try {
    if (Object.keys(handlers).length === 0) throw unknownPath(request, "See /docs for what does.");
    const handler = handlers[method === "HEAD" ? "GET" : method];
    if (!handler) throw unhandledMethod(incoming, Object.keys(handlers));
    response = await handler({ request, requestId, params: await pathParameters(context) });
  } catch (error) {
    response = errorResponse(error, { requestId });
    const { status, code } = toAppError(error);
    count("switchboard_refusals_total", { endpoint, code });
    const path = maskedPath(request.url);
    const ms = Math.round(performance.now() - startedAtMs);
    const cause = status === 500 || status === 503 ? errorFields(error) : {};
    log(status >= 500 ? "error" : "info", "request", { requestId, method, path, status, code, ms, ...cause });
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  observe("switchboard_call_seconds", seconds, { endpoint, status: response.status });
  const isKept = maxAgeSeconds !== undefined && response.ok;
  const headers = isKept ? { "Cache-Control": `public, max-age=${maxAgeSeconds}` } : undefined;
  return finishResponse(response, { method, requestId, headers });
};

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export type Method = (typeof METHODS)[number];

/** The path parameters: `messageId` of `messages/[messageId]`; a catch-all parameter is a list. */
export type RouteContext = { params: Promise<Record<string, string | string[]>> };

export type RouteMethod = (request: Request, context: RouteContext) => Promise<Response>;

export type RouteMethods = Record<Method, RouteMethod>;

/** A request at one of the methods of its route. */
export type Incoming = { method: Method; request: Request; context: RouteContext };

/** Defines every method, so that the framework never sends its own 405, without `Allow` and our error format. */
export function methodTable(serve: (incoming: Incoming) => Promise<Response>): RouteMethods {
  const at =
    (method: Method): RouteMethod =>
    (request, context) =>
      startFault.environment ? misconfigured() : serve({ method, request, context });
  return Object.fromEntries(METHODS.map((method) => [method, at(method)])) as RouteMethods;
}

/** The response to every call while the environment is invalid; the docs URL is unknown then. */
const misconfigured = async (): Promise<Response> => {
  const message = "This server's environment is incomplete: its log names what is missing. Retry once that is done.";
  const details = { requestId: newId("req"), docsUrl: "/docs/errors/SERVICE_UNAVAILABLE", retryable: true };
  const body = { error: "SERVICE_UNAVAILABLE", message, details: { ...details, retryAfterSeconds: 60 } };
  return Response.json(body, { status: 503, headers: { "Retry-After": "60", "Cache-Control": "no-store" } });
};

/** Returns the 405 of a path; GET implies HEAD. */
export function unhandledMethod({ method, request }: Incoming, handled: readonly string[]): AppError {
  const named = requestMethod(request.headers, method, { hasFrontDoor: hasFrontDoor() });
  return methodNotAllowed(
    named,
    handled.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])),
  );
}

/** Returns the 404 of an unknown path, or the front door's error about it. */
export function unknownPath(request: Request, advice: string): AppError {
  return (
    refusalOf(request) ??
    new AppError("NOT_FOUND", `${new URL(request.url).pathname.slice(0, 100)} does not exist. ${advice}`, {
      details: { retryable: false },
    })
  );
}

/** Returns the path's parameters. */
export async function pathParameters({ params }: RouteContext): Promise<Record<string, string>> {
  return Object.fromEntries(
    Object.entries((await params) ?? {}).flatMap(([name, part]) => (typeof part === "string" ? [[name, part]] : [])),
  );
}

const RETRY_AFTER_SECONDS = 5;

/** Converts a failure for the caller: an AppError stays, an unavailable database is a 503, anything else a 500. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new AppError(
      "SERVICE_UNAVAILABLE",
      "Our database is unavailable. Retry in a few seconds; with an Idempotency-Key that is always safe.",
      { details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS }, cause: error },
    );
  }
  return internalError(error instanceof Error ? error : new Error(String(error)));
}

/** Returns the body of every error under /api: `error`, `message`, and `details` with `requestId` and `docsUrl`. */
export function errorBody({ code, message, details }: AppError, requestId: string) {
  return {
    error: code,
    message,
    details: { requestId, docsUrl: `${env().APP_URL}/docs/errors/${code}`, ...details },
  };
}

/** Returns a failure as an answer in the shape of all errors under /api. */
export function errorAnswer(error: unknown, requestId: string): Written {
  const failure = toAppError(error);
  const { status, details, headers } = failure;
  const retryAfter = details.retryAfterSeconds;
  const body = errorBody(failure, requestId);
  return {
    status,
    headers: {
      "Content-Type": "application/json",
      Link: `<${body.details.docsUrl}>; rel="help"`,
      ...((status === 429 || status === 503) && retryAfter ? { "Retry-After": String(retryAfter) } : {}),
      ...headers,
    },
    text: JSON.stringify(body),
  };
}

export function errorResponse(error: unknown, { requestId }: { requestId: string }): Response {
  const { text, ...head } = errorAnswer(error, requestId);
  return new Response(text, head);
}

/** On every answer under /api. */
export const API_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/** Adds the headers of every /api response, and `headers`; removes the body for HEAD. */
export function finishResponse(
  response: Response,
  { method, requestId, headers = {} }: { method: Method; requestId: string; headers?: Record<string, string> },
): Response {
  const all = { ...API_HEADERS, "X-Request-Id": requestId, ...headers };
  for (const [name, value] of Object.entries(all)) response.headers.set(name, value);
  return method === "HEAD" ? new Response(null, response) : response;
}

type Described = Record<string, readonly ["string" | "integer", string]>;

/** On every response of the partner API. */
export const COMMON_HEADERS = {
  "X-Request-Id": ["string", "Identifies this call in the dashboard’s request log."],
  "RateLimit-Limit": ["integer", "Requests allowed per 15 minutes by the tighter limit."],
  "RateLimit-Remaining": [
    "integer",
    "How many of them are left. No `RateLimit` header is on a 503 that could not be counted.",
  ],
  "RateLimit-Reset": ["integer", "Seconds until the count starts again."],
  "RateLimit-Policy": ["string", 'Every limit that applies: `"ip";q=100;w=900, "key";q=300;w=900`.'],
  "Server-Timing": ["string", "Time spent in Switchboard and in WhatsApp, in milliseconds."],
  "API-Version": ["integer", "`1`, as in the path."],
  "X-Mode": ["string", "`test` or `live`, the key’s mode; absent where the call was refused before its key was read."],
} as const satisfies Described;

/** On responses that list them. */
export const OPTIONAL_HEADERS = {
  Link: ["string", 'The page of the error’s code, with `rel="help"`.'],
  "X-Contact-Id": ["string", "Our id of the recipient, which stays when their number changes."],
  "Idempotent-Replayed": ["string", "`true` if the response is a replay."],
  "Retry-After": ["integer", "Seconds to wait before the next call."],
  Warning: [
    "string",
    "Lists fields ignored because `templateComponents` was sent, or says that the recipient no longer uses this number.",
  ],
} as const satisfies Described;

export type HeaderName = keyof typeof OPTIONAL_HEADERS;

/** The part of a call's duration spent in WhatsApp. */
export type Timing = { platformMs?: number };

/** `app;dur=3.2, platform;dur=180`: ours and WhatsApp's share of a call, in milliseconds. */
export function serverTiming(durationMs: number, { platformMs }: Timing): string {
  const ours = Math.max(0, durationMs - (platformMs ?? 0));
  const platform = platformMs === undefined ? "" : `, platform;dur=${platformMs}`;
  return `app;dur=${ours.toFixed(1)}${platform}`;
}
