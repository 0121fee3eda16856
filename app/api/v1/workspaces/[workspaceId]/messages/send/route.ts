import { memberFromOwnPage, principalOf } from "@/lib/auth/member-request";
import { refuseGuess } from "@/lib/contacts/recipient";
import { BODY_CAPS } from "@/lib/core/budget";
import { namedMode } from "@/lib/core/page-mode";
import { sendMessage } from "@/lib/messages/send-message";
import { apiRoute } from "@/lib/public-api/api-route";
import { parseJsonBytes } from "@/lib/public-api/issues";
import { sendHeaders, toMessageResource } from "@/lib/public-api/message-resource";
import { readBody } from "@/lib/public-api/read-body";
import { parseSendRequest } from "@/lib/public-api/read-send-request";

/** The partner API's send for the page that tries it out: the same body, rules and answers, in a member's name. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = apiRoute({
  POST: async ({ requestId, ...call }) => {
    const mode = namedMode(call.url);
    const may = mode === "live" ? "sendLiveMessage" : "sendTestMessage";
    const member = await memberFromOwnPage(call, may);
    const body = parseJsonBytes(await readBody(call, { maxBytes: BODY_CAPS.action, from: "forms" }));
    const { request: send, idempotencyKey, ignoredFields } = parseSendRequest(body, call);
    refuseGuess(member.role, send);
    const principal = await principalOf(member, mode);
    const { message, isReplay } = await sendMessage(principal, send, { idempotencyKey, requestId });
    const data = toMessageResource(message, { idempotentReplay: isReplay });
    const headers = sendHeaders({ isReplay, ignoredFields });
    return Response.json({ success: true, data }, { status: isReplay ? 200 : 201, headers });
  },
});
