import NextAuth from "next-auth";
import { nextAuthRequest } from "@/lib/auth/next-auth-request";
import { authOptions, type Outcome } from "@/lib/auth/options";
import { visitorOf } from "@/lib/auth/visitor";
import { AppError } from "@/lib/core/app-error";
import { type ApiHandler, apiRoute } from "@/lib/public-api/api-route";

/** next-auth answers; where it refuses, the answer takes the shape of every other error of ours. */
const handle: ApiHandler = async ({ request }) => {
  const readable = await nextAuthRequest(request);
  const outcome: Outcome = {};
  const params = { nextauth: readable.route };
  const options = authOptions(visitorOf(request.headers), outcome);
  const response: Response = await NextAuth(options)(readable.request, { params });
  if (outcome.failure !== undefined) throw outcome.failure;
  if (response.status >= 400) throw refusal(response.status);
  if (await isTokenRefused(response)) throw tokenRefusal();
  if (outcome.knownBrowserCookie) response.headers.append("Set-Cookie", outcome.knownBrowserCookie);
  return response;
};

function tokenRefusal(): AppError {
  const advice = "Get both from /api/auth/csrf, then try again.";
  return new AppError("FORBIDDEN", `\`csrfToken\` does not belong to this cookie, so nothing was checked. ${advice}`, {
    details: { field: "csrfToken", retryable: false },
  });
}

/** For a script, next-auth reports this as a 200 with the address that it would redirect a form to. */
async function isTokenRefused(response: Response): Promise<boolean> {
  if (!response.headers.get("content-type")?.startsWith("application/json")) return false;
  const answer: { url?: unknown } | null = await response.clone().json();
  const url = answer?.url;
  return typeof url === "string" && url.endsWith("?csrf=true");
}

const refusal = (status: number): Error => {
  if (status === 401) return new AppError("UNAUTHORIZED", "This e-mail and password do not match an account.");
  if (status === 403) {
    return new AppError("FORBIDDEN", "This account may not sign in: ask a workspace owner to add it.");
  }
  if (status < 500) return new AppError("NOT_FOUND", "There is no such sign-in route. People sign in at /sign-in.");
  return new Error(`next-auth answered ${status}`);
};

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({ GET: handle, POST: handle });
