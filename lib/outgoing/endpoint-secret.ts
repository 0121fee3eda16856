import { createHmac, randomBytes } from "node:crypto";
import { decrypt, type EncryptionKeys, encrypt } from "@/lib/core/crypto";

/** As Standard Webhooks writes secrets: this, and the key's bytes as base64. */
const PREFIX = "whsec_";
const KEY_BYTES = 32;

type EndpointKey = { workspaceId: string; id: string };

export function newEndpointSecret(): string {
  return `${PREFIX}${randomBytes(KEY_BYTES).toString("base64")}`;
}

/** The same for every session of a key, so that a program under development keeps it. */
export function listenerSecret(apiKeyId: string, pepper: string): string {
  return `${PREFIX}${createHmac("sha256", pepper).update(`listen ${apiKeyId}`).digest("base64")}`;
}

/** The bytes that sign. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

/** Encrypts a secret for its own row. */
export function sealSecret(secret: string, endpoint: EndpointKey, keys: EncryptionKeys): string {
  return encrypt(secret, rowOf(endpoint), keys);
}

/** Throws where no configured key opens it. */
export function openSecret(sealed: string, endpoint: EndpointKey, keys: EncryptionKeys): string {
  return decrypt(sealed, rowOf(endpoint), keys);
}

const rowOf = ({ workspaceId, id }: EndpointKey): string => `webhook ${workspaceId}/${id}`;
