import type { ApiCall } from "./snippets";

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

export const SEND_INTERACTIVE: ApiCall = {
  method: "POST",
  path: "/messages/send",
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
};

/** A send of each message type. */
export const SENDS = { text: SEND_TEXT, template: SEND_TEMPLATE, interactive: SEND_INTERACTIVE };

export const GET_MESSAGE: ApiCall = { method: "GET", path: "/messages/$MESSAGE_ID" };

export const LIST_TEMPLATES: ApiCall = { method: "GET", path: "/templates" };

/** The calls of each operation, by message type where there are several. */
export const CALLS_OF: Record<string, Record<string, ApiCall>> = {
  sendMessage: SENDS,
  getMessage: { "": GET_MESSAGE },
  listTemplates: { "": LIST_TEMPLATES },
};

export const MESSAGE_EXAMPLE = {
  id: "msg_01kd7x2m9q4v8c3t6w1z5r0n",
  status: "SENT",
  chatMessageId: "wamid.HBgMNDQ3NzAwOTAwMDAz",
  failureReason: null,
  sentAt: "2026-01-05T12:09:11.214Z",
  deliveredAt: null,
  readAt: null,
  createdAt: "2026-01-05T12:09:11.020Z",
  idempotentReplay: false,
};

export const MESSAGE_EVENT_EXAMPLE = {
  type: "message.delivered",
  timestamp: "2026-01-05T12:09:13.000Z",
  sequence: 2,
  data: {
    ...MESSAGE_EXAMPLE,
    status: "DELIVERED",
    deliveredAt: "2026-01-05T12:09:13.000Z",
    idempotencyKey: "order-4711-ready",
  },
};

export const TEMPLATE_EVENT_EXAMPLE = {
  type: "template.paused",
  timestamp: "2026-01-05T12:09:13.000Z",
  sequence: 4,
  data: {
    id: "tpl_01kd7x2m9q4v8c3t6w1z5r0n",
    name: "order_ready",
    language: "en_US",
    category: "UTILITY",
    status: "PAUSED",
    rejectedReason: null,
  },
};

export const TEST_EVENT_EXAMPLE = {
  type: "webhook.test",
  timestamp: "2026-01-05T12:09:13.000Z",
  sequence: 1,
  data: { message: "This endpoint receives the events of Switchboard." },
};

export const TEMPLATE_EXAMPLE = {
  id: "tpl_01kd7x2m9q4v8c3t6w1z5r0n",
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  parameterFormat: "POSITIONAL",
  components: [{ type: "BODY", text: "Hi {{1}}, your order {{2}} is ready." }],
  variables: [
    { key: "1", where: ["body"], example: "Ana", maxLength: 160, required: true },
    { key: "2", where: ["body"], example: "A-42", maxLength: 160, required: true },
  ],
  qualityScore: "GREEN",
  phoneNumberIds: ["pn_01kd7x2m9q4v8c3t6w1z5r0n"],
  updatedAt: "2026-01-05T12:00:00.000Z",
};
