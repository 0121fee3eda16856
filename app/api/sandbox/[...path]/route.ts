import { newId } from "@/lib/core/new-id";
import { builtinSandbox } from "@/lib/phone-numbers/builtin-sandbox";
import { finishResponse } from "@/lib/public-api/api-route";

/** WhatsApp's side of test lines, in WhatsApp's own shapes, errors included. */
const handle = async (request: Request): Promise<Response> =>
  finishResponse(await answer(request), { method: "POST", requestId: newId("req") });

const answer = async (request: Request): Promise<Response> => {
  try {
    return await builtinSandbox().handle(request);
  } catch {
    const error = { message: "(#2) API Service", type: "OAuthException", code: 2, fbtrace_id: "sandbox" };
    return Response.json({ error }, { status: 503 });
  }
};

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
