import { newId } from "@/lib/ids";
import { API_HEADERS } from "@/lib/public-api/error-response";
import { builtinSandbox } from "@/lib/test-mode/builtin-sandbox";

/** The platform's side of test lines, in the platform's own shapes, errors included. */
const handle = async (request: Request): Promise<Response> => {
  const response = await answer(request);
  for (const [name, value] of Object.entries({ ...API_HEADERS, "X-Request-Id": newId("req") })) {
    response.headers.set(name, value);
  }
  return response;
};

const answer = async (request: Request): Promise<Response> => {
  try {
    return await builtinSandbox().handle(request);
  } catch {
    const error = { message: "(#2) API Service", type: "OAuthException", code: 2, fbtrace_id: "sandbox" };
    return Response.json({ error }, { status: 503 });
  }
};

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
