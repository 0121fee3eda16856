import { z } from "zod";
import { AppError, forbidden, invalidAt, methodNotAllowed } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/arriving-bytes";
import { readJson } from "@/lib/core/json";
import type { Call, CallHeaders } from "@/lib/http/call";
import { readBody } from "@/lib/http/read-body";
import { isFromForeignPage } from "./own-origin";

const FORM = { maxBytes: BODY_CAPS.form, from: "forms" } as const;
const ROUTES = {
  GET: /^(csrf|session|providers|error|verify-request|signout|signin(\/\w+)?|callback\/(?!credentials$)\w+)$/,
  POST: /^(signout|signin\/\w+|callback\/\w+)$/,
};
const NO_SUCH_ROUTE = "There is no such sign-in route. People sign in at /sign-in.";

const Fields = z.record(z.string(), z.string());

/**
 * Returns a request that next-auth can handle: a known route, and a form of plain strings. Rejects anything else,
 * because next-auth would return a 500.
 */
export async function nextAuthRequest(call: Call): Promise<{ request: Request & { nextUrl: URL }; route: string[] }> {
  const url = new URL(call.url);
  const route = url.pathname.split("/").filter(Boolean).slice(2);
  // Keep the first of repeated parameters, which is checked here; next-auth would use the last.
  for (const [name, value] of firstOfEach(url.searchParams)) url.searchParams.set(name, value);
  // It is copied into a Location header unescaped.
  if (!/^\w{1,60}$/.test(url.searchParams.get("error") ?? "")) {
    if (route[0] === "error") url.searchParams.set("error", "Default");
    else url.searchParams.delete("error");
  }
  const method = call.method === "POST" ? "POST" : "GET";
  if (!ROUTES[method].test(route.join("/"))) throw refusedRoute(method, route.join("/"));
  // Before reading the body; next-auth checks its CSRF token afterwards.
  if (method === "POST" && isFromForeignPage(call.headers)) {
    throw forbidden("People sign in and out on a page of this site only.");
  }
  const body =
    method === "POST" ? { body: new URLSearchParams(readFields(await readBody(call, FORM), call.headers)) } : {};
  return { request: Object.assign(new Request(url, { method, ...body }), { nextUrl: url }), route };
}

const firstOfEach = (parameters: URLSearchParams): Map<string, string> => new Map([...parameters].toReversed());

function refusedRoute(method: "GET" | "POST", route: string): AppError {
  const other = method === "GET" ? "POST" : "GET";
  if (!ROUTES[other].test(route)) return new AppError("NOT_FOUND", NO_SUCH_ROUTE, { details: { retryable: false } });
  return methodNotAllowed(method, other === "GET" ? ["GET", "HEAD"] : ["POST"]);
}

function readFields(bytes: Uint8Array, headers: CallHeaders): Record<string, string> {
  const text = new TextDecoder().decode(bytes);
  const type = headers.get("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) return Object.fromEntries(new URLSearchParams(text));
  const fields = Fields.safeParse(readJson(text)).data;
  if (!fields) throw invalidAt("", "The body is not a form, nor a JSON object of strings.");
  return fields;
}
