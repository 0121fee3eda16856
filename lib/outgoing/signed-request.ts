import { createHmac } from "node:crypto";
import { encryptionKeys } from "@/lib/core/crypto";
import { toEventResource } from "@/lib/public-api/events";
import type { Claimed } from "./claim-deliveries";
import { openSecret, signingKey } from "./endpoint-secret";

/** Why nothing was sent, in words. */
export class NotSent extends Error {}

export type SignedRequest = { headers: Record<string, string>; body: string };

/** Returns the signed request for an attempt at time `at`. Throws NotSent if the secret cannot be decrypted. */
export function signedRequest(delivery: Claimed, at: Date): SignedRequest {
  const body = JSON.stringify(toEventResource(delivery));
  const signed = signatureHeaders({ id: delivery.id, at, body }, signingKeys(delivery));
  const { traceparent } = delivery;
  return { headers: { ...FIXED_HEADERS, ...signed, ...(traceparent === null ? {} : { traceparent }) }, body };
}

const signingKeys = ({ workspaceId, endpointId, secret, previousSecret }: Claimed): Buffer[] => {
  const sealed = previousSecret === null ? [secret] : [secret, previousSecret];
  try {
    return sealed.map((one) => signingKey(openSecret(one, { workspaceId, id: endpointId }, encryptionKeys())));
  } catch {
    throw new NotSent("The endpoint's secret opens under no configured ENCRYPTION_KEY. Rotate the secret.");
  }
};

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
