import { createHmac, randomBytes } from "node:crypto";
import { decrypt, type EncryptionKeys, encrypt, encryptionKeys } from "@/lib/core/crypto";
import { NotSent, toEventResource } from "@/lib/outgoing/events/event-resource";
import type { Claimed } from "./claim-deliveries";
import { slackText } from "./slack-text";

export type SignedRequest = { headers: Record<string, string>; body: string };

/** Returns the request for an attempt at time `at`: signed, or as Slack takes it. Throws NotSent as signedRequest does. */
export function requestOf(delivery: Claimed, at: Date): SignedRequest & { url: string } {
  if (delivery.format === "events") return { url: delivery.url, ...signedRequest(delivery, at) };
  // The URL lets anyone post to the channel, so it is what is encrypted as the secret.
  const url = decrypted(delivery, delivery.secret);
  const text = slackText(toEventResource(delivery), delivery.snapshot.workspace);
  return { url, headers: FIXED_HEADERS, body: JSON.stringify({ text }) };
}

/** Returns the signed request for an attempt at time `at`. Throws NotSent if the secret cannot be decrypted or the message is gone. */
export function signedRequest(delivery: Claimed, at: Date): SignedRequest {
  const body = JSON.stringify(toEventResource(delivery));
  const signed = signatureHeaders({ id: delivery.id, at, body }, signingKeys(delivery));
  const { traceparent } = delivery;
  return { headers: { ...FIXED_HEADERS, ...signed, ...(traceparent === null ? {} : { traceparent }) }, body };
}

function signingKeys(delivery: Claimed): Buffer[] {
  const { secret, previousSecret } = delivery;
  const sealed = previousSecret === null ? [secret] : [secret, previousSecret];
  return sealed.map((one) => signingKey(decrypted(delivery, one)));
}

function decrypted({ workspaceId, endpointId }: Claimed, sealed: string): string {
  try {
    return decryptSecret(sealed, { workspaceId, id: endpointId }, encryptionKeys());
  } catch {
    throw new NotSent(
      "The endpoint's secret cannot be decrypted with any configured ENCRYPTION_KEY. Rotate the secret.",
    );
  }
}

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

/** The format of Standard Webhooks: this prefix, then the key's bytes in base64. */
const PREFIX = "whsec_";
const KEY_BYTES = 32;

type EndpointKey = { workspaceId: string; id: string };

export function newEndpointSecret(): string {
  return `${PREFIX}${randomBytes(KEY_BYTES).toString("base64")}`;
}

/** Returns the secret of an API key's `listen` sessions: always the same, so that developers set it once. */
export function listenerSecret(apiKeyId: string, pepper: string): string {
  return `${PREFIX}${createHmac("sha256", pepper).update(`listen ${apiKeyId}`).digest("base64")}`;
}

/** Returns the key bytes for signing. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

/** Encrypts a secret for its own row. */
export function encryptSecret(secret: string, endpoint: EndpointKey, keys: EncryptionKeys): string {
  return encrypt(secret, rowOf(endpoint), keys);
}

/** Decrypts a secret. Throws if no configured key can. */
export function decryptSecret(sealed: string, endpoint: EndpointKey, keys: EncryptionKeys): string {
  return decrypt(sealed, rowOf(endpoint), keys);
}

const rowOf = ({ workspaceId, id }: EndpointKey): string => `webhook ${workspaceId}/${id}`;
