import { AppError } from "@/lib/errors";
import { frontDoor } from "@/lib/front-door";
import { newId } from "@/lib/ids";
import { errorFields, log, pathForLog } from "@/lib/log";
import { API_HEADERS, errorResponse, toAppError } from "./error-response";
import {
  type Method,
  methodNotAllowed,
  methodTable,
  pathParameters,
  type RouteContext,
  type RouteMethods,
} from "./methods";
import { pathFault } from "./request-headers";

export type ApiHandler = (call: {
  request: Request;
  requestId: string;
  params: Record<string, string>;
}) => Promise<Response>;

/** The edge of every route under /api that is not the partner API: no limits or keys, the same errors and headers. */
export const apiRoute = (handlers: Partial<Record<"GET" | "POST" | "DELETE", ApiHandler>>): RouteMethods =>
  methodTable((method, request, context) => serve(method, request, context, handlers));

const serve = async (
  method: Method,
  request: Request,
  context: RouteContext,
  handlers: Partial<Record<string, ApiHandler>>,
): Promise<Response> => {
  const requestId = newId("req");
  const startedAtMs = performance.now();
  let response: Response;
  try {
    if (Object.keys(handlers).length === 0) throw unknownPath(request);
    const handler = handlers[method === "HEAD" ? "GET" : method];
    if (!handler) throw methodNotAllowed(method, request, Object.keys(handlers));
    response = await handler({ request, requestId, params: await pathParameters(context) });
    for (const [name, value] of Object.entries(API_HEADERS)) response.headers.set(name, value);
    response.headers.set("X-Request-Id", requestId);
  } catch (error) {
    response = errorResponse(error, requestId);
    const { status, code } = toAppError(error);
    const path = pathForLog(request.url);
    const ms = Math.round(performance.now() - startedAtMs);
    const cause = status === 500 || status === 503 ? errorFields(error) : {};
    log(status >= 500 ? "error" : "info", "request", { requestId, method, path, status, code, ms, ...cause });
  }
  return method === "HEAD" ? new Response(null, response) : response;
};

const unknownPath = (request: Request) =>
  pathFault(request.headers, { hasFrontDoor: frontDoor() !== undefined }) ??
  new AppError("NOT_FOUND", `${new URL(request.url).pathname.slice(0, 100)} does not exist. See /docs for what does.`, {
    details: { retryable: false },
  });
