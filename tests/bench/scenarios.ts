// The calls that are measured. The load generator, a process of its own, builds them by name and number.
import { createHmac } from "node:crypto";
import type { KeyPair } from "./bench-world";
import { type SeededStatus, seededStatus } from "./seeded-statuses";
import { webhookOf } from "./webhook-body";

/** A server under load, and what its calls need. */
export type Target = {
  name: "ours" | "floor" | "platform";
  url: string;
  /** Calls take them in turn. */
  keys: KeyPair[];
  /** Its limit is used up. */
  refusedKey: KeyPair;
  messageId: string;
  appSecret: string;
  /** How the ids of the seeded messages begin. */
  seededIdPrefix: string;
};

export type Call = { method: "GET" | "POST"; path: string; headers: Record<string, string>; body?: string };

export type Scenario = {
  name: string;
  /** Of each response. */
  status: number;
  connections: number;
  /** Calls before the clock starts. */
  warmUpCalls: number;
  /** Calls whose statements are counted, one after the other. */
  countedCalls: number;
  /** Of a webhook: how many new statuses it brings. */
  statuses?: number;
  /** Status of the first calls, where repeating them is what is measured. */
  firstStatus?: number;
  /** Its throughput is to be several times that of the sends, which are measured in the same rounds. */
  isComparedWithSends?: boolean;
  call: (target: Target, number: number) => Call;
};

/** So many recipients in turn: sends to a single one are an exception. */
export const RECIPIENTS = 100;
/** Keys that are replayed. */
export const REPLAYED_KEYS = RECIPIENTS;
/** Fewer than 16 at once never fill a group of webhooks, and wait for it. */
const WEBHOOK_CONNECTIONS = 32;

const SEND_PATH = "/api/v1/public/messages/send";
const DEFAULTS = { status: 200, connections: 10, warmUpCalls: 300, countedCalls: 50 };

export const recipientOf = (number: number): string => `4477009${String(number % RECIPIENTS).padStart(5, "0")}`;

const textTo = (number: number) => ({
  type: "text",
  phone: recipientOf(number),
  content: "Your order 8812 is ready. Thank you.",
});

const templateTo = (number: number) => ({
  type: "template",
  phone: recipientOf(number),
  templateName: "order_ready",
  templateLanguage: "en_US",
  templateVariables: { "1": "Ada", "2": "8812" },
});

const keyHeaders = ({ keys }: Target, number: number): Record<string, string> => {
  const key = keys[number % keys.length];
  if (!key) throw new Error("a target has a key");
  return { apiKey: key.apiKey, apiSecret: key.apiSecret };
};

const sendCall = (headers: Record<string, string>, body: object): Call => ({
  method: "POST",
  path: SEND_PATH,
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify(body),
});

const webhookCall = ({ appSecret, seededIdPrefix }: Target, statuses: SeededStatus[]): Call => {
  const body = JSON.stringify(
    webhookOf(
      statuses.map(({ message, status }) => ({
        id: message.whatsappMessageId,
        status,
        recipient_id: recipientOf(0),
        biz_opaque_callback_data: `${seededIdPrefix}${message.idEnding}`,
      })),
    ),
  );
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
  return { method: "POST", path: "/api/webhooks/whatsapp", headers, body };
};

const webhookOfNew = (statuses: number): Scenario["call"] => {
  return (target, number) =>
    webhookCall(
      target,
      Array.from({ length: statuses }, (_, index) => seededStatus(statuses, number * statuses + index)),
    );
};

export const SEND_TEXT: Scenario = {
  ...DEFAULTS,
  name: "send a text",
  status: 201,
  warmUpCalls: 3_000,
  call: (target, number) => sendCall(keyHeaders(target, number), textTo(number)),
};

export const WEBHOOK_OF_ONE: Scenario = {
  ...DEFAULTS,
  name: "webhook of 1 new status",
  connections: WEBHOOK_CONNECTIONS,
  statuses: 1,
  call: webhookOfNew(1),
};

export const WEBHOOK_OF_TEN: Scenario = {
  ...DEFAULTS,
  name: "webhook of 10",
  statuses: 10,
  call: webhookOfNew(10),
};

export const SEND_TEMPLATE: Scenario = {
  ...DEFAULTS,
  name: "send a template",
  status: 201,
  call: (target, number) => sendCall(keyHeaders(target, number), templateTo(number)),
};

export const SEND_WITH_KEY: Scenario = {
  ...DEFAULTS,
  name: "send with a key",
  status: 201,
  call: (target, number) =>
    sendCall({ ...keyHeaders(target, number), "idempotency-key": `order-${number}` }, textTo(number)),
};

export const REPLAY: Scenario = {
  ...DEFAULTS,
  name: "replay",
  firstStatus: 201,
  call: (target, number) =>
    sendCall(
      { ...keyHeaders(target, number), "idempotency-key": `replay-${number % REPLAYED_KEYS}` },
      textTo(number % REPLAYED_KEYS),
    ),
};

export const STATUS: Scenario = {
  ...DEFAULTS,
  name: "status",
  call: (target, number) => ({
    method: "GET",
    path: `/api/v1/public/messages/${target.messageId}`,
    headers: keyHeaders(target, number),
  }),
};

export const UNAUTHORIZED: Scenario = {
  ...DEFAULTS,
  name: "401: a wrong secret",
  status: 401,
  isComparedWithSends: true,
  call: (target, number) => {
    const headers = { ...keyHeaders(target, number), apiSecret: target.refusedKey.apiSecret };
    return sendCall(headers, textTo(number));
  },
};

export const OVER_LIMIT: Scenario = {
  ...DEFAULTS,
  name: "429: key over its limit",
  status: 429,
  isComparedWithSends: true,
  call: ({ refusedKey }, number) => sendCall({ ...refusedKey }, textTo(number)),
};

/** What a send makes of WhatsApp, asked without us. */
export const DIRECT: Scenario = {
  ...DEFAULTS,
  name: "WhatsApp itself",
  call: (_target, number) => ({
    method: "POST",
    path: "/v25.0/1055/messages",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({
      messaging_product: "whatsapp",
      to: `+${recipientOf(number)}`,
      type: "text",
      text: { body: textTo(number).content },
    }),
  }),
};

export const MEASURED: Scenario[] = [
  SEND_TEXT,
  SEND_TEMPLATE,
  SEND_WITH_KEY,
  REPLAY,
  STATUS,
  {
    ...DEFAULTS,
    name: "templates (200)",
    warmUpCalls: 60,
    call: (target, number) => ({
      method: "GET",
      path: "/api/v1/public/templates",
      headers: keyHeaders(target, number),
    }),
  },
  WEBHOOK_OF_ONE,
  WEBHOOK_OF_TEN,
  {
    ...DEFAULTS,
    name: "webhook of 1,000",
    statuses: 1_000,
    connections: 1,
    warmUpCalls: 3,
    countedCalls: 2,
    call: webhookOfNew(1_000),
  },
  UNAUTHORIZED,
  OVER_LIMIT,
];

export const scenarioNamed = (name: string): Scenario => {
  const scenario = [...MEASURED, DIRECT].find((one) => one.name === name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  return scenario;
};
