import NextAuth from "next-auth";
import { authOptions } from "@/lib/auth/options";
import { AppError } from "@/lib/errors";
import { newId } from "@/lib/ids";
import { errorResponse } from "@/lib/public-api/error-response";

type Context = { params: Promise<{ nextauth: string[] }> };

/** next-auth answers; where it refuses, the answer takes the shape of every other error of ours. */
const handle = async (request: Request, context: Context): Promise<Response> => {
  const requestId = newId("req");
  try {
    let failure: unknown;
    const options = authOptions((error) => {
      failure = error;
    });
    const response: Response = await NextAuth(options)(request, context);
    if (failure !== undefined) throw failure;
    if (response.status >= 400) throw refusal(response.status);
    response.headers.set("X-Request-Id", requestId);
    response.headers.set("Cache-Control", "no-store");
    response.headers.set("X-Content-Type-Options", "nosniff");
    return response;
  } catch (error) {
    return errorResponse(error, requestId);
  }
};

const refuseMethod = (request: Request): Response =>
  errorResponse(
    new AppError("METHOD_NOT_ALLOWED", `${request.method} is not possible here: use GET or POST.`, {
      headers: { Allow: "GET, POST" },
    }),
    newId("req"),
  );

const refusal = (status: number): Error => {
  if (status === 401) return new AppError("UNAUTHORIZED", "This e-mail and password do not match an account.");
  if (status === 403)
    return new AppError("FORBIDDEN", "This account may not sign in: ask a workspace owner to add it.");
  if (status < 500) return new AppError("NOT_FOUND", "There is no such sign-in route. People sign in at /sign-in.");
  return new Error(`next-auth answered ${status}`);
};

export { handle as GET, handle as POST, refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
