import { endpoint } from "@/lib/api/endpoint";
import { MESSAGE_EXAMPLE, Message, sendHeaders, toMessageResource } from "@/lib/api/message-resource";
import { SEND_BODY, SEND_HEADERS } from "@/lib/api/read-send-request";
import { refuseGuess } from "@/lib/contacts/recipient";
import { ERROR_STATUS, type ErrorCode } from "@/lib/core/app-error";
import { tryReadIdempotencyKey } from "@/lib/http/request-headers";
import { sendMessage } from "@/lib/messages/send/send-message";

export const sendMessageEndpoint = endpoint({
  id: "sendMessage",
  method: "POST",
  path: "/messages/send",
  tag: "Messages",
  operation: "send",
  summary: "Send a message",
  description:
    "Sends one message and returns once WhatsApp has accepted it. Send an idempotency key always: a repeat under it can never send the message twice.",
  messageNameOf: (call) => {
    // A header at fault is reported with the body.
    const idempotencyKey = tryReadIdempotencyKey(call);
    return idempotencyKey === undefined ? undefined : { idempotencyKey };
  },
  headers: SEND_HEADERS,
  body: SEND_BODY,
  responses: {
    201: {
      description: "The message, accepted by WhatsApp.",
      data: Message,
      example: MESSAGE_EXAMPLE,
      headers: ["Warning", "X-Contact-Id"],
    },
    200: {
      description: "A replay: the first message of this key. Nothing was sent.",
      data: Message,
      example: { ...MESSAGE_EXAMPLE, idempotentReplay: true },
      headers: ["Idempotent-Replayed", "X-Contact-Id"],
    },
  },
  // Another method never reaches it.
  errors: (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => code !== "METHOD_NOT_ALLOWED"),
  examples: {
    text: {
      idempotencyKey: "order-8812",
      body: { type: "text", phone: "447700900003", content: "Your order is ready." },
    },
    template: {
      idempotencyKey: "order-8812-ready",
      body: {
        type: "template",
        phone: "447700900003",
        templateName: "order_ready",
        templateLanguage: "en_US",
        expectCategory: "UTILITY",
        // The link takes key 1, and the body what is given for it alone.
        templateVariables: { "1": "8812", "2": "8812" },
        bodyParameters: { "1": "Ada" },
      },
    },
    interactive: {
      idempotencyKey: "order-8812-pickup",
      body: {
        type: "interactive",
        phone: "447700900003",
        content: JSON.stringify({
          type: "button",
          body: "Pick it up today?",
          buttons: [
            { id: "today", title: "Today" },
            { id: "later", title: "Later" },
          ],
        }),
      },
    },
  },
  handle: async ({ principal, requestId, body, named, timing, receivedAtMs }) => {
    const { request: send, idempotencyKey, ignoredFields } = body;
    if (principal.limits.isMembers) refuseGuess("member", send);
    const { message, isReplay, isLeftNumber } = await sendMessage(principal, send, {
      idempotencyKey,
      named,
      requestId,
      timing,
      receivedAtMs,
    });
    return {
      status: isReplay ? 200 : 201,
      data: toMessageResource(message, { idempotentReplay: isReplay }),
      headers: { "X-Contact-Id": message.contactId, ...sendHeaders({ isReplay, isLeftNumber, ignoredFields }) },
      logged: { messageId: message.id, outcome: isReplay ? "replay" : message.status },
    };
  },
});
