import { z } from "zod";
import { endpoint, READ_ERRORS } from "@/lib/api/endpoint";
import { MESSAGE_EXAMPLE, Message, toMessageResource } from "@/lib/api/message-resource";
import { getMessage } from "@/lib/messages/queries";

export const getMessageEndpoint = endpoint({
  id: "getMessage",
  method: "GET",
  path: "/messages/{messageId}",
  tag: "Messages",
  operation: "status",
  summary: "Read a message and its status",
  description:
    "Returns the message as it is now: its status, when it reached each, and why it failed. Webhooks say the same without polling.",
  params: z.object({ messageId: z.string().describe("`data.id` of the send, not `chatMessageId`.") }),
  messageNameOf: ({ params: { messageId = "" } }) => ({ messageId }),
  responses: {
    200: {
      description: "The message as it is now.",
      data: Message,
      example: MESSAGE_EXAMPLE,
      headers: ["X-Contact-Id"],
    },
  },
  errors: [...READ_ERRORS, "NOT_FOUND"],
  examples: { "": {} },
  handle: async ({ principal, params, named }) => {
    const message = await getMessage(principal.workspaceId, principal, { messageId: params.messageId, named });
    return {
      status: 200,
      data: toMessageResource(message, { idempotentReplay: false }),
      headers: { "X-Contact-Id": message.contactId },
      logged: { messageId: message.id },
    };
  },
});
