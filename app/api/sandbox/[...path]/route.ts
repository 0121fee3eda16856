import { newId } from "@/lib/core/new-id";
import { builtinSandbox } from "@/lib/phone-numbers/builtin-sandbox";
import { finishResponse, methodTable } from "@/lib/public-api/api-route";

/** WhatsApp's side of test lines, in WhatsApp's own shapes, errors included. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methodTable(async ({ request }) =>
  finishResponse(await answer(request), { method: "POST", requestId: newId("req") }),
);

const answer = async (request: Request): Promise<Response> => {
  try {
    return await builtinSandbox().handle(request);
  } catch {
    const error = { message: "(#2) API Service", type: "OAuthException", code: 2, fbtrace_id: "sandbox" };
    return Response.json({ error }, { status: 503 });
  }
};
