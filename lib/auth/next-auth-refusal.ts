import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { withQuery } from "@/lib/core/query-string";
import { callbackPath } from "./own-origin";

/** For a form whose token is not the one of its cookie. */
export function tokenRefusal(): AppError {
  const advice = "Get both from /api/auth/csrf, then try again.";
  return new AppError("FORBIDDEN", `\`csrfToken\` does not belong to this cookie, so nothing was checked. ${advice}`, {
    details: { field: "csrfToken", retryable: false },
  });
}

/** For a script, next-auth reports this as a 200 with the address that it would redirect a form to. */
export async function isTokenRefused(response: Response): Promise<boolean> {
  if (!response.headers.get("content-type")?.startsWith("application/json")) return false;
  const answer: { url?: unknown } | null = await response.clone().json();
  const url = answer?.url;
  return typeof url === "string" && url.endsWith("?csrf=true");
}

/** What an answer of next-auth of this status, 400 or above, is to a caller of ours. */
export function refusal(status: number): Error {
  if (status === 401) return new AppError("UNAUTHORIZED", "This e-mail and password do not match an account.");
  if (status === 403) {
    return new AppError("FORBIDDEN", "This account may not sign in: ask a workspace owner to add it.");
  }
  if (status < 500) return new AppError("NOT_FOUND", "There is no such sign-in route. People sign in at /sign-in.");
  return new Error(`next-auth answered ${status}`);
}

/** Leads a sign-in whose code is due to the page that asks for it, and from there to where it was to lead. */
export async function leadToCode(response: Response): Promise<Response> {
  const { APP_URL } = env();
  const location = response.headers.get("location");
  const url = location ?? (await response.json()).url;
  const page = `${APP_URL}${withQuery("/sign-in", { callbackUrl: callbackPath(String(url), APP_URL) })}`;
  const headers = new Headers(response.headers);
  if (location !== null) headers.set("location", page);
  return new Response(location === null ? JSON.stringify({ url: page }) : null, { status: response.status, headers });
}
