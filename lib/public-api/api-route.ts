import { errorFields, log } from "@/lib/core/log";
import { maskedPath } from "@/lib/core/masked-text";
import { newId } from "@/lib/core/new-id";
import { errorResponse, toAppError } from "./error-response";
import { finishResponse } from "./finish-response";
import {
  type Incoming,
  methodNotAllowed,
  methodTable,
  pathParameters,
  type RouteMethods,
  unknownPath,
} from "./methods";

export type ApiHandler = (call: {
  request: Request;
  requestId: string;
  params: Record<string, string>;
}) => Promise<Response>;

type Handlers = Partial<Record<"GET" | "POST" | "DELETE", ApiHandler>>;

/** A public file may say how long caches keep it. Errors are never kept. */
type Caching = { maxAgeSeconds?: number };

/** The edge of every route under /api that is not the partner API: the same errors and headers; limits and keys are the route's own. */
export function apiRoute(handlers: Handlers, caching: Caching = {}): RouteMethods {
  return methodTable((incoming) => serve(incoming, handlers, caching));
}

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
    response = errorResponse(error, requestId);
    const { status, code } = toAppError(error);
    const path = maskedPath(request.url);
    const ms = Math.round(performance.now() - startedAtMs);
    const cause = status === 500 || status === 503 ? errorFields(error) : {};
    log(status >= 500 ? "error" : "info", "request", { requestId, method, path, status, code, ms, ...cause });
  }
  const isKept = maxAgeSeconds !== undefined && response.ok;
  const headers = isKept ? { "Cache-Control": `public, max-age=${maxAgeSeconds}` } : undefined;
  return finishResponse(response, { method, requestId, headers });
};
