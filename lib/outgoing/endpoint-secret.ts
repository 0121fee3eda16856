import { createHmac, randomBytes } from "node:crypto";
import { decrypt, type EncryptionKeys, encrypt } from "@/lib/core/crypto";

/** As Standard Webhooks writes secrets: this, and the key's bytes as base64. */
const PREFIX = "whsec_";
const KEY_BYTES = 32;

type EndpointKey = { workspaceId: string; id: string };

export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(KEY_BYTES).toString("base64")}`;

/** The same for every session of a key, so that a program under development keeps it. */
export const listenerSecret = (apiKeyId: string, pepper: string): string =>
  `${PREFIX}${createHmac("sha256", pepper).update(`listen ${apiKeyId}`).digest("base64")}`;

/** The bytes that sign. */
export const signingKey = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

/** Encrypts a secret for its own row. */
export const sealSecret = (secret: string, endpoint: EndpointKey, keys: EncryptionKeys): string =>
  encrypt(secret, rowOf(endpoint), keys);

/** Throws where no configured key opens it. */
export const openSecret = (sealed: string, endpoint: EndpointKey, keys: EncryptionKeys): string =>
  decrypt(sealed, rowOf(endpoint), keys);

const rowOf = ({ workspaceId, id }: EndpointKey): string => `webhook ${workspaceId}/${id}`;
