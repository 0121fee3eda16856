import type { ApiCall } from "@/lib/snippets/snippets";

// The calls of the docs, as they are pasted and run.

export const SEND_TEXT: ApiCall = {
  method: "POST",
  path: "/messages/send",
  idempotencyKey: "order-8812",
  body: { type: "text", phone: "447700900003", content: "Your order is ready." },
};

export const SEND_TEMPLATE: ApiCall = {
  method: "POST",
  path: "/messages/send",
  idempotencyKey: "order-8812-ready",
  body: {
    type: "template",
    phone: "447700900003",
    templateName: "order_ready",
    templateLanguage: "en_US",
    templateVariables: { "1": "Ada", "2": "8812" },
  },
};

export const GET_MESSAGE: ApiCall = { method: "GET", path: "/messages/$MESSAGE_ID" };

export const LIST_TEMPLATES: ApiCall = { method: "GET", path: "/templates" };

export const SEND_ANSWER = `HTTP/1.1 201 Created

{
  "success": true,
  "data": {
    "id": "msg_01kd7x2m9q4v8c3t6w1z5r0n",
    "status": "SENT",
    "chatMessageId": "wamid.HBgMNDQ3NzAwOTAwMDAz",
    "failureReason": null,
    "sentAt": "2026-01-05T12:09:11.214Z",
    "deliveredAt": null,
    "readAt": null,
    "createdAt": "2026-01-05T12:09:11.020Z",
    "idempotentReplay": false
  }
}`;

export const ERROR_ANSWER = `{
  "error": "PHONE_NUMBER_REQUIRED",
  "message": "This workspace has 3 active lines. Add \`phoneNumberId\`.",
  "details": {
    "requestId": "req_01kd7x2m9q…",
    "docsUrl": "https://…/docs/errors/PHONE_NUMBER_REQUIRED",
    "field": "phoneNumberId",
    "retryable": false
  }
}`;
