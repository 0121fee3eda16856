import { createHmac } from "node:crypto";

/** The headers that are the same in every request. */
export const FIXED_HEADERS = { "content-type": "application/json", "user-agent": "Switchboard-Webhooks/1" };

type Signed = { id: string; at: Date; body: string };

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): one signature for each key, so that a receiver
 * that knows either of two secrets accepts the delivery. `at` is the time of the attempt.
 */
export function signatureHeaders({ id, at, body }: Signed, keys: readonly Uint8Array[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
