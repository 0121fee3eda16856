import { sendMessage } from "@/lib/messages/send-message";
import { toMessageResource } from "@/lib/public-api/message-resource";
import { parseSendRequest } from "@/lib/public-api/read-send-request";
import { publicRoute } from "@/lib/public-api/route";
import { sendHeaders } from "@/lib/public-api/send-headers";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicRoute({
  POST: {
    takesBody: true,
    handle: async ({ principal, requestId, request, body, timing, receivedAtMs }) => {
      const { request: send, idempotencyKey, ignoredFields } = parseSendRequest(body, request.headers);
      const { message, isReplay, isLeftNumber } = await sendMessage(principal, send, {
        idempotencyKey,
        requestId,
        timing,
        receivedAtMs,
      });
      return {
        status: isReplay ? 200 : 201,
        data: toMessageResource(message, { idempotentReplay: isReplay }),
        headers: sendHeaders({ isReplay, isLeftNumber, ignoredFields }),
        logged: { messageId: message.id },
      };
    },
  },
});
