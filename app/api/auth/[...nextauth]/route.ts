import NextAuth from "next-auth";
import { isTokenRefused, leadToCode, refusal, tokenRefusal } from "@/lib/auth/next-auth-refusal";
import { nextAuthRequest } from "@/lib/auth/next-auth-request";
import { authOptions, type Outcome } from "@/lib/auth/options";
import { visitorOf } from "@/lib/auth/visitor";
import { type ApiHandler, apiRoute } from "@/lib/http/api-route";

/** next-auth answers; where it refuses, the answer takes the shape of every other error of ours. */
const handle: ApiHandler = async (call) => {
  const readable = await nextAuthRequest(call);
  const outcome: Outcome = {};
  const params = { nextauth: readable.route };
  const options = authOptions(visitorOf(call.headers), outcome);
  const response: Response = await NextAuth(options)(readable.request, { params });
  if (outcome.failure !== undefined) throw outcome.failure;
  if (response.status >= 400) throw refusal(response.status);
  if (await isTokenRefused(response)) throw tokenRefusal();
  if (outcome.knownBrowserCookie) response.headers.append("Set-Cookie", outcome.knownBrowserCookie);
  return outcome.isCodeDue ? leadToCode(response) : response;
};

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({ GET: handle, POST: handle });
