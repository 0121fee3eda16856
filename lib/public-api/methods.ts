import { AppError } from "@/lib/core/app-error";
import { refusalOf } from "@/lib/core/beside-request";
import { newId } from "@/lib/core/new-id";
import { hasFrontDoor, startFault } from "@/lib/core/process-wide";
import { requestMethod } from "./request-headers";

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

/** The answer to every call where nothing is configured, not even the address of our docs. */
const misconfigured = async (): Promise<Response> => {
  const message = "This server's environment is incomplete: its log names what is missing. Retry once that is done.";
  const details = { requestId: newId("req"), docsUrl: "/docs/errors/SERVICE_UNAVAILABLE", retryable: true };
  const body = { error: "SERVICE_UNAVAILABLE", message, details: { ...details, retryAfterSeconds: 60 } };
  return Response.json(body, { status: 503, headers: { "Retry-After": "60", "Cache-Control": "no-store" } });
};

/** Returns a 405 with `Allow`; GET implies HEAD. */
export function methodNotAllowed({ method, request }: Incoming, handled: readonly string[]): AppError {
  const named = requestMethod(request.headers, method, { hasFrontDoor: hasFrontDoor() });
  const allowed = handled.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new AppError("METHOD_NOT_ALLOWED", `${named} is not possible here. Use ${allowed}.`, {
    details: { allowed: allowed.split(", "), retryable: false },
    headers: { Allow: allowed },
  });
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
