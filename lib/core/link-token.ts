import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** The secret of a link that works once: 256 random bits, safe in an address. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Whether it can be a token at all; what cannot is not looked up. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

// A 256-bit random token cannot be guessed, so a fast hash is enough.
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}
