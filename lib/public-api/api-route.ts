import { errorFields, log } from "@/lib/core/log";
import { count, observe } from "@/lib/core/metrics";
import { newId } from "@/lib/core/new-id";
import { maskedPath } from "@/lib/core/phone";
import {
  type Incoming,
  methodNotAllowed,
  methodTable,
  pathParameters,
  type RouteMethods,
  unknownPath,
} from "./methods";
import { errorResponse, finishResponse, toAppError } from "./responses";

export type ApiHandler = (call: {
  request: Request;
  requestId: string;
  params: Record<string, string>;
}) => Promise<Response>;

type Handlers = Partial<Record<"GET" | "POST" | "DELETE", ApiHandler>>;

/** Cache duration of a public file. Errors are never cached. */
type Caching = { maxAgeSeconds?: number };

/** Wraps routes under /api outside the partner API: same errors and headers, but their own limits and keys. */
export function apiRoute(handlers: Handlers, caching: Caching = {}): RouteMethods {
  return methodTable((incoming) => serve(incoming, handlers, caching));
}

const NAMED = /^\/api\/(webhooks|cron|health|metrics|auth|v1\/listen|v1\/workspaces)(?=\/|$)/;

/** A metric's label, so one of few. */
const nameOf = (path: string): string => NAMED.exec(path)?.[1] ?? "other";

const serve = async (
  incoming: Incoming,
  handlers: Partial<Record<string, ApiHandler>>,
  { maxAgeSeconds }: Caching,
): Promise<Response> => {
  const { method, request, context } = incoming;
  const requestId = newId("req");
  const startedAtMs = performance.now();
  let response: Response;
  try {
    if (Object.keys(handlers).length === 0) throw unknownPath(request, "See /docs for what does.");
    const handler = handlers[method === "HEAD" ? "GET" : method];
    if (!handler) throw methodNotAllowed(incoming, Object.keys(handlers));
    response = await handler({ request, requestId, params: await pathParameters(context) });
  } catch (error) {
    response = errorResponse(error, { requestId });
    const { status, code } = toAppError(error);
    count("switchboard_refusals_total", { endpoint: nameOf(new URL(request.url).pathname), code });
    const path = maskedPath(request.url);
    const ms = Math.round(performance.now() - startedAtMs);
    const cause = status === 500 || status === 503 ? errorFields(error) : {};
    log(status >= 500 ? "error" : "info", "request", { requestId, method, path, status, code, ms, ...cause });
  }
  observe("switchboard_call_seconds", (performance.now() - startedAtMs) / 1_000, {
    endpoint: nameOf(new URL(request.url).pathname),
    status: response.status,
  });
  const isKept = maxAgeSeconds !== undefined && response.ok;
  const headers = isKept ? { "Cache-Control": `public, max-age=${maxAgeSeconds}` } : undefined;
  return finishResponse(response, { method, requestId, headers });
};
