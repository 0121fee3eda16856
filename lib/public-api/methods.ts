import { AppError } from "@/lib/core/app-error";
import { hasFrontDoor } from "@/lib/core/front-door";
import { pathFault, requestMethod } from "./request-headers";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export type Method = (typeof METHODS)[number];

/** What a server knows of the path: `messageId` of `messages/[messageId]`; a catch-all part is a list. */
export type RouteContext = { params: Promise<Record<string, string | string[]>> };

export type RouteMethod = (request: Request, context: RouteContext) => Promise<Response>;

export type RouteMethods = Record<Method, RouteMethod>;

/** A request at one of the methods of its route. */
export type Incoming = { method: Method; request: Request; context: RouteContext };

/** A handler for each method, so that no server answers a wrong one by itself, without `Allow` and in another shape. */
export function methodTable(serve: (incoming: Incoming) => Promise<Response>): RouteMethods {
  const at =
    (method: Method): RouteMethod =>
    (request, context) =>
      serve({ method, request, context });
  return {
    GET: at("GET"),
    HEAD: at("HEAD"),
    POST: at("POST"),
    PUT: at("PUT"),
    PATCH: at("PATCH"),
    DELETE: at("DELETE"),
    OPTIONS: at("OPTIONS"),
  };
}

/** The 405 with `Allow`; HEAD goes with GET. */
export function methodNotAllowed({ method, request }: Incoming, handled: readonly string[]): AppError {
  const named = requestMethod(request.headers, method, { hasFrontDoor: hasFrontDoor() });
  const allowed = handled.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `${named} is not possible here. Use ${allowed}.`, {
    details: { allowed: allowed.split(", "), retryable: false },
    headers: { Allow: allowed },
  });
}

/** The 404 of a path without a handler, or the fault that the front door found in it. */
export function unknownPath(request: Request, advice: string): AppError {
  return (
    pathFault(request.headers, { hasFrontDoor: hasFrontDoor() }) ??
    new AppError("NOT_FOUND", `${new URL(request.url).pathname.slice(0, 100)} does not exist. ${advice}`, {
      details: { retryable: false },
    })
  );
}

/** The named parts of a path. */
export async function pathParameters({ params }: RouteContext): Promise<Record<string, string>> {
  return Object.fromEntries(
    Object.entries((await params) ?? {}).flatMap(([name, part]) => (typeof part === "string" ? [[name, part]] : [])),
  );
}
