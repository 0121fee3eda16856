import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Mode } from "@/lib/core/principal";
import { setNewest } from "@/lib/core/process-wide";

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

/** The CRC-32 of the rest in base 62, so that secret scanners can recognize our secrets offline. */
export function secretChecksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(Buffer.from(text)));
  return base62(bytes);
}

/** Padded to the length of the largest number of that many bytes. */
function base62(bytes: Uint8Array) {
  const length = Math.ceil((bytes.length * 8) / Math.log2(ALPHABET.length));
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

// Written by hand, because node:zlib has it only from Node 20.15 on.
function crc32(bytes: Uint8Array) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** For this long, a revoked key may get a 429 instead of a 401. */
const TRUSTED_MS = 10_000;

/**
 * A cache of recently authenticated key pairs and their holders. Secrets are compared as
 * hashes, in constant time. Bounded: the pair verified longest ago is evicted.
 */
export class VerifiedKeyCache<Holder> {
  private readonly pairs = new Map<string, { hash: Uint8Array; holder: Holder; provenAtMs: number }>();

  constructor(private readonly maxPairs = 10_000) {}

  /** `nowMs` is from the monotonic clock, taken before the query. */
  remember(apiKey: string, hash: Uint8Array, { holder, nowMs }: { holder: Holder; nowMs: number }): void {
    setNewest(this.pairs, apiKey, { hash, holder, provenAtMs: nowMs }, this.maxPairs);
  }

  find(apiKey: string, hashSecret: () => Uint8Array, nowMs: number): Holder | undefined {
    const pair = this.pairs.get(apiKey);
    if (!pair) return undefined;
    if (nowMs - pair.provenAtMs >= TRUSTED_MS) {
      this.pairs.delete(apiKey);
      return undefined;
    }
    return timingSafeEqual(pair.hash, hashSecret()) ? pair.holder : undefined;
  }
}
