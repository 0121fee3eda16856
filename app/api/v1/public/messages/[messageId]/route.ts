import { getMessage } from "@/lib/messages/queries";
import { toMessageResource } from "@/lib/public-api/message-resource";
import { publicRoute } from "@/lib/public-api/route";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = publicRoute({
  GET: {
    takesBody: false,
    handle: async ({ principal, params }) => {
      const message = await getMessage(principal.workspaceId, principal.mode, params.messageId ?? "");
      return {
        status: 200,
        data: toMessageResource(message, { idempotentReplay: false }),
        logged: { messageId: message.id },
      };
    },
  },
});
