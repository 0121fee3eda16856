import { AppError } from "@/lib/errors";
import { frontDoor } from "@/lib/front-door";
import { requestMethod } from "./request-headers";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export type Method = (typeof METHODS)[number];

/** What a server tells of the path: `messageId` of `messages/[messageId]`; a catch-all part is a list. */
export type RouteContext = { params: Promise<Record<string, string | string[]>> };

export type RouteMethod = (request: Request, context: RouteContext) => Promise<Response>;

export type RouteMethods = Record<Method, RouteMethod>;

/** A handler for each method, so that no server answers a wrong one by itself, without `Allow` and in another shape. */
export const methodTable = (
  serve: (method: Method, request: Request, context: RouteContext) => Promise<Response>,
): RouteMethods => {
  const method =
    (name: Method): RouteMethod =>
    (request, context) =>
      serve(name, request, context);
  return {
    GET: method("GET"),
    HEAD: method("HEAD"),
    POST: method("POST"),
    PUT: method("PUT"),
    PATCH: method("PATCH"),
    DELETE: method("DELETE"),
    OPTIONS: method("OPTIONS"),
  };
};

/** The 405 with `Allow`; HEAD goes with GET. */
export const methodNotAllowed = (method: Method, request: Request, handled: readonly string[]): AppError => {
  const named = requestMethod(request.headers, method, { hasFrontDoor: frontDoor() !== undefined });
  const allowed = handled.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `${named} is not possible here. Use ${allowed}.`, {
    details: { allowed: allowed.split(", "), retryable: false },
    headers: { Allow: allowed },
  });
};

/** The named parts of a path. */
export const pathParameters = async ({ params }: RouteContext): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((await params) ?? {}).flatMap(([name, part]) => (typeof part === "string" ? [[name, part]] : [])),
  );
