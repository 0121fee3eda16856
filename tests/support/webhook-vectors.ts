import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** A delivery as a partner's server gets it; `fault` is what a client must find, and null where it must accept it. */
export type WebhookVector = {
  name: string;
  body: string;
  headers: Record<string, string>;
  secret: string;
  fault: "header" | "timestamp" | "signature" | "body" | "secret" | null;
};

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;

export const WEBHOOK_SECRET = newSecret();

const EVENT = JSON.stringify({
  type: "message.delivered",
  timestamp: "2026-11-23T12:00:00.000Z",
  sequence: 3,
  data: { id: "msg_1", status: "DELIVERED", failureReason: "Zoë’s phone ✓", idempotencyKey: "order-1" },
});

/** Signed by the reference implementation, `standardwebhooks`. */
const sign = (body: string, secret: string, at: Date): string => new Webhook(secret).sign("evt_1", at, body);

/** A delivery of an event, as an endpoint with `WEBHOOK_SECRET` gets it. */
export const deliveryOf = (id: string, event: object): { body: string; headers: Record<string, string> } => {
  const [body, at] = [JSON.stringify(event), new Date()];
  return {
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
      "webhook-signature": new Webhook(WEBHOOK_SECRET).sign(id, at, body),
    },
  };
};

const vector = (
  name: string,
  fault: WebhookVector["fault"],
  change: {
    body?: string;
    secondsAgo?: number;
    secret?: string;
    signature?: (valid: string) => string;
    headers?: (valid: Record<string, string>) => Record<string, string>;
  } = {},
): WebhookVector => {
  const { body = EVENT, secondsAgo = 0, secret = WEBHOOK_SECRET, signature = (valid) => valid } = change;
  const at = new Date(Date.now() - secondsAgo * 1_000);
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
    "webhook-signature": signature(sign(body, WEBHOOK_SECRET, at)),
  };
  return { name, fault, body, secret, headers: change.headers?.(headers) ?? headers };
};

/** Signed now: a receiver refuses what is older than five minutes, and a busy machine takes some between load and test. */
export function webhookVectors(): WebhookVector[] {
  return [
    vector("accepts a valid signature", null),
    vector("accepts an attempt of four minutes ago", null, { secondsAgo: 240 }),
    vector("accepts the second of two signatures, as during a rotation", null, {
      signature: (valid) => `${sign(EVENT, newSecret(), new Date())} ${valid}`,
    }),
    vector("passes over signatures of other versions and broken ones", null, {
      signature: (valid) => `v1a,${valid.slice(3)} v1,*** v1, ${valid}`,
    }),
    vector("reads header names in any case", null, {
      headers: (valid) => Object.fromEntries(Object.entries(valid).map(([name, value]) => [name.toUpperCase(), value])),
    }),
    vector("accepts a secret without its prefix", null, { secret: WEBHOOK_SECRET.replace("whsec_", "") }),
    vector("refuses a signature under another secret", "signature", { secret: newSecret() }),
    vector("refuses a changed id", "signature", { headers: (valid) => ({ ...valid, "webhook-id": "evt_2" }) }),
    vector("refuses a changed time", "signature", {
      headers: (valid) => ({ ...valid, "webhook-timestamp": `${Number(valid["webhook-timestamp"]) - 1}` }),
    }),
    vector("refuses a shortened signature", "signature", { signature: () => "v1,c2hvcnQ=" }),
    vector("refuses an empty list of signatures", "signature", { signature: () => "v2,x" }),
    vector("refuses a signature of another version", "signature", {
      signature: (valid) => valid.replace("v1,", "v2,"),
    }),
    vector("refuses an attempt of six minutes ago", "timestamp", { secondsAgo: 360 }),
    vector("refuses an attempt of the future", "timestamp", { secondsAgo: -360 }),
    vector("refuses a time that is no number", "timestamp", {
      headers: (valid) => ({ ...valid, "webhook-timestamp": "1e9" }),
    }),
    ...["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
      vector(`refuses a delivery without ${name}`, "header", {
        headers: (valid) => Object.fromEntries(Object.entries(valid).filter(([given]) => given !== name)),
      }),
    ),
    vector("refuses a secret that is not base64", "secret", { secret: "whsec_*" }),
    vector("refuses an empty secret", "secret", { secret: "" }),
    vector("refuses a body that is not JSON", "body", { body: "hello" }),
    vector("refuses a body that is no event", "body", { body: "[]" }),
  ];
}
