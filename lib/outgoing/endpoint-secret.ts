import { createHmac, randomBytes } from "node:crypto";
import { decrypt, type EncryptionKeys, encrypt } from "@/lib/core/crypto";

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
export function sealSecret(secret: string, endpoint: EndpointKey, keys: EncryptionKeys): string {
  return encrypt(secret, rowOf(endpoint), keys);
}

/** Decrypts a secret. Throws if no configured key can. */
export function openSecret(sealed: string, endpoint: EndpointKey, keys: EncryptionKeys): string {
  return decrypt(sealed, rowOf(endpoint), keys);
}

const rowOf = ({ workspaceId, id }: EndpointKey): string => `webhook ${workspaceId}/${id}`;
