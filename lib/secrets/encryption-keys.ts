import { env } from "@/lib/process/env";
import type { EncryptionKeys } from "./crypto";

/** The current key, and the previous one while values under it remain. */
export const encryptionKeys = (): EncryptionKeys => {
  const { ENCRYPTION_KEY: current, ENCRYPTION_KEY_PREVIOUS: previous } = env();
  return previous ? [current, previous] : [current];
};
