import type { EncryptionKeys } from "./crypto";
import { env } from "./env";

/** The current key, and the previous one while values under it remain. */
export function encryptionKeys(): EncryptionKeys {
  const { ENCRYPTION_KEY: current, ENCRYPTION_KEY_PREVIOUS: previous } = env();
  return previous ? [current, previous] : [current];
}
