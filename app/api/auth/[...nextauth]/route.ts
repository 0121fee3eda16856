import NextAuth from "next-auth";
import { authOptions } from "@/lib/auth/options";
import { AppError } from "@/lib/errors";
import { type ApiHandler, apiRoute } from "@/lib/public-api/api-route";

/** next-auth answers; where it refuses, the answer takes the shape of every other error of ours. */
const handle: ApiHandler = async ({ request }) => {
  let failure: unknown;
  const options = authOptions((error) => {
    failure = error;
  });
  const response: Response = await NextAuth(options)(request, { params: { nextauth: routeOf(request) } });
  if (failure !== undefined) throw failure;
  if (response.status >= 400) throw refusal(response.status);
  return response;
};

/** What stands behind /api/auth/, as next-auth's own catch-all would name it. */
const routeOf = (request: Request): string[] => new URL(request.url).pathname.split("/").slice(3);

const refusal = (status: number): Error => {
  if (status === 401) return new AppError("UNAUTHORIZED", "This e-mail and password do not match an account.");
  if (status === 403) {
    return new AppError("FORBIDDEN", "This account may not sign in: ask a workspace owner to add it.");
  }
  if (status < 500) return new AppError("NOT_FOUND", "There is no such sign-in route. People sign in at /sign-in.");
  return new Error(`next-auth answered ${status}`);
};

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({ GET: handle, POST: handle });
