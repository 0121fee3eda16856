import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Mode } from "@/db/schema/identity";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const API_KEY_BYTES = 16;
const SECRET_BYTES = 32;

export type KeyPair = { apiKey: string; apiSecret: string };

/** The public id `pk_<mode>_…` (128 random bits) and the secret `sk_<mode>_…` (256 random bits and a checksum). */
export function newKeyPair(mode: Mode): KeyPair {
  const secret = `sk_${mode}_${base62(randomBytes(SECRET_BYTES))}`;
  return {
    apiKey: `pk_${mode}_${base62(randomBytes(API_KEY_BYTES))}`,
    apiSecret: `${secret}${secretChecksum(secret)}`,
  };
}

// A 256-bit random secret cannot be guessed, so a fast hash is enough; the pepper makes a stolen table useless.
export function hashSecret(secret: string, pepper: string): Uint8Array {
  return createHmac("sha256", pepper).update(secret).digest();
}

/** Compares under every pepper, in a time that reveals neither which one matched nor how much of the hash did. */
export function secretMatches(secret: string, hash: Uint8Array, peppers: readonly string[]): boolean {
  let matches = false;
  for (const pepper of peppers) {
    const candidate = hashSecret(secret, pepper);
    if (candidate.length === hash.length && timingSafeEqual(candidate, hash)) matches = true;
  }
  return matches;
}

/** An absent hash is compared with this, to take as long. It is random, so that no secret anywhere leads to it. */
const STAND_IN = randomBytes(32);

/** The stored hash that the secret proves, if any. An absent one never is, whatever the secret. */
export function provenHash(
  secret: string,
  stored: readonly (Uint8Array | null | undefined)[],
  peppers: readonly string[],
): Uint8Array | undefined {
  const compared = stored.map((hash) => ({ hash, matches: secretMatches(secret, hash ?? STAND_IN, peppers) }));
  return compared.find(({ hash, matches }) => matches && hash)?.hash ?? undefined;
}

/** The CRC-32 of the rest in base 62, by which a scanner for leaked secrets recognizes ours without asking. */
export function secretChecksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(Buffer.from(text)));
  return base62(bytes);
}

/** Always as many characters as the largest number of that many bytes needs. */
const base62 = (bytes: Uint8Array) => {
  const length = Math.ceil((bytes.length * 8) / Math.log2(ALPHABET.length));
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
};

// By hand, because node:zlib has it from 20.15 only.
const crc32 = (bytes: Uint8Array) => {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
};
