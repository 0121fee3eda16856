import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { choiceCookie, WORKSPACE_COOKIE } from "@/lib/auth/choice-cookies";
import { pageFault } from "@/lib/auth/page-request";
import { readSessionId } from "@/lib/auth/session-token";
import type { AppError } from "@/lib/core/app-error";
import { env, isDevelopment } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import { startFault } from "@/lib/core/own-server";
import { securityHeaders } from "@/lib/core/security-headers";
import { unavailablePage } from "@/lib/http/answers";
import { errorAnswer, finished } from "@/lib/http/api-route";
import { findPathFault } from "@/lib/http/requests";
import { toResponse } from "@/lib/http/web-route";

/**
 * Pages only: it would cut the bodies of API requests at 10 MB, and the API and files write their own headers. Also
 * matches actions posted to public files, which Next would run, and API requests that Next would answer itself: with an
 * empty 200, which a client could take for the answer to a send, or with a 500 if the path's encoding is broken.
 */
export const config = {
  matcher: [
    "/((?!api(?:/|$)|_next/static/|(?:icon\\.svg|favicon\\.ico|openapi\\.json|llms\\.txt|docs/client\\.ts|docs/search-index\\.json|robots\\.txt|sitemap\\.xml|og\\.png|docs\\.md|docs/.*\\.md|samples/(?:chair|lamp|receipt|table)\\.png)$).*)",
    { source: "/((?!api(?:/|$)).*)", has: [{ type: "header", key: "next-action" }] },
    { source: "/((?!api(?:/|$)).*)", has: [{ type: "header", key: "content-type" }] },
    { source: "/api/:path*", has: [{ type: "header", key: "x-middleware-prefetch" }] },
    "/(api/.*%.*)",
  ],
};

/** Headers for every page, and an early way to the sign-in page; each page checks its member itself. */
export async function proxy(request: NextRequest): Promise<Response> {
  const { pathname, search } = request.nextUrl;
  const pathFault = findPathFault(pathname);
  if (pathFault?.code === "VALIDATION_ERROR") return refusal(request, pathFault);
  if (pathname === "/api" || pathname.startsWith("/api/")) return passOn(request.headers);
  const fault = await startFaultOf(pathname);
  if (fault) return unavailable(fault);
  const isPrivate = pathname === "/dashboard" || pathname.startsWith("/dashboard/");
  const headers = securityHeaders({
    nonce: randomBytes(16).toString("base64"),
    isHttps: env().APP_URL.startsWith("https://"),
    isDevelopment,
    isPrivate,
  });

  const response = await answer(request, headers, isPrivate ? `${pathname}${search}` : undefined);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** Why a page cannot be served by a process that did not start whole; the docs need no database. */
async function startFaultOf(pathname: string): Promise<string | undefined> {
  if (startFault.environment) return "This server is not configured yet: its log names what is missing.";
  if (!startFault.requireDatabase || /^\/docs(\/|$)/.test(pathname)) return undefined;
  return startFault.requireDatabase().then(
    () => undefined,
    () => "The database is being updated.",
  );
}

function unavailable(why: string): Response {
  const { html, headers } = unavailablePage(why, { isHttps: true, isOfPagesOnly: false });
  return new Response(html, {
    status: 503,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  });
}

async function answer(
  request: NextRequest,
  headers: Record<string, string>,
  privatePath: string | undefined,
): Promise<Response> {
  const fault = await pageFault(request);
  if (fault) return refusal(request, fault);
  // An action says itself who may take it, and where the others go.
  const needsSession = privatePath !== undefined && request.method !== "POST";
  if (needsSession && !(await readSessionId(request.headers.get("cookie")))) {
    return NextResponse.redirect(signInUrl(privatePath));
  }
  // Next reads "import" as a contact's id, to be opened beside the list.
  if (request.nextUrl.pathname === "/dashboard/contacts/import") request.headers.delete("next-url");
  const workspaceId = privatePath === undefined ? null : request.nextUrl.searchParams.get("workspace");
  if (!workspaceId || !WORKSPACE_ID.test(workspaceId)) return passOn(request.headers, headers);
  const given = new Headers(request.headers);
  given.set("cookie", withCookie(given.get("cookie") ?? "", WORKSPACE_COOKIE, workspaceId));
  const response = passOn(given, headers);
  response.cookies.set(WORKSPACE_COOKIE, workspaceId, choiceCookie());
  return response;
}

function refusal(request: NextRequest, fault: AppError): Response {
  const requestId = newId("req");
  return toResponse(request.method, finished(errorAnswer(fault, requestId), { requestId }));
}

// A link may name its workspace: it is the chosen one from this request on, for those who are its members.
const WORKSPACE_ID = /^ws_[a-z0-9]{1,64}$/;

function withCookie(cookies: string, name: string, value: string): string {
  const others = cookies.split(/; */).filter((pair) => pair && !pair.startsWith(`${name}=`));
  return [...others, `${name}=${value}`].join("; ");
}

/** On our own public address: the Host header is whatever the caller wrote. */
function signInUrl(callbackUrl: string): URL {
  const url = new URL("/sign-in", env().APP_URL);
  url.searchParams.set("callbackUrl", callbackUrl);
  return url;
}

/** Next takes the nonce for its own scripts from the policy in the request. */
function passOn(given: Headers, { "Content-Security-Policy": policy = "" }: Record<string, string> = {}): NextResponse {
  const headers = new Headers(given);
  headers.delete("x-middleware-prefetch");
  headers.set("Content-Security-Policy", policy);
  return NextResponse.next({ request: { headers } });
}
