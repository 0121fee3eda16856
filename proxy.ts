import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { readSession } from "@/lib/auth/session-token";
import { env, isDevelopment } from "@/lib/env";
import { securityHeaders } from "@/lib/security-headers";

/** Pages only: it would cut the bodies of API requests at 10 MB, and the API writes its own headers. */
export const config = { matcher: "/((?!api(?:/|$)|_next/static/|_next/image|icon.svg).*)" };

/** Headers for every page, and an early way to the sign-in page; each page checks its member itself. */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname, search } = request.nextUrl;
  const isPrivate = pathname === "/dashboard" || pathname.startsWith("/dashboard/");
  const headers = securityHeaders({
    nonce: randomBytes(16).toString("base64"),
    isHttps: env().APP_URL.startsWith("https://"),
    isDevelopment,
    isPrivate,
  });

  const response =
    isPrivate && !(await readSession(request.headers.get("cookie")))
      ? NextResponse.redirect(signInUrl(`${pathname}${search}`))
      : NextResponse.next({ request: { headers: withPolicy(request.headers, headers) } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** On our own public address: the Host header is whatever the caller wrote. */
const signInUrl = (callbackUrl: string): URL => {
  const url = new URL("/sign-in", env().APP_URL);
  url.searchParams.set("callbackUrl", callbackUrl);
  return url;
};

/** Next takes the nonce for its own scripts from the policy in the request. */
const withPolicy = (request: Headers, headers: Record<string, string>): Headers => {
  const forwarded = new Headers(request);
  forwarded.set("Content-Security-Policy", headers["Content-Security-Policy"] ?? "");
  return forwarded;
};
