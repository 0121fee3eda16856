import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { env } from "./env";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encryption secrets. The first encrypts, all decrypt, so one can be rotated without downtime. */
export type EncryptionKeys = readonly [string, ...string[]];

/** Encrypts `plain` with AES-256-GCM as `v1.<key id>.<base64url>`; `row` binds it to where it is stored. */
export function encrypt(plain: string, row: string, keys: EncryptionKeys): string {
  const key = derive(keys[0]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce).setAAD(Buffer.from(row));
  const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1.${key.id}.${sealed.toString("base64url")}`;
}

/** Returns the prefix of every value encrypted with the first key. */
export function currentSeal([current]: EncryptionKeys): string {
  return `v1.${derive(current).id}.`;
}

/** Throws if the value was changed, belongs to another row, or was encrypted with a key that is not configured. */
export function decrypt(value: string, row: string, keys: EncryptionKeys): string {
  const [version, id, sealed] = value.split(".");
  const key = keys.map(derive).find((candidate) => candidate.id === id);
  if (version !== "v1" || !sealed || !key)
    throw new Error("The stored value was encrypted under a key that is not configured.");
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(row))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
}

/** The same; undefined where `decrypt` throws. */
export function tryDecrypt(value: string, row: string, keys: EncryptionKeys): string | undefined {
  try {
    return decrypt(value, row, keys);
  } catch {
    return undefined;
  }
}

type DerivedKey = { bytes: Buffer; id: string };

/** By secret: a send decrypts a token, and the configured secrets are two at most. */
const derived = new Map<string, DerivedKey>();
const MAX_DERIVED = 8;

function derive(secret: string): DerivedKey {
  const known = derived.get(secret);
  if (known) return known;
  const bytes = createHash("sha256").update("switchboard encryption key\0").update(secret).digest();
  const key = { bytes, id: createHash("sha256").update(bytes).digest("hex").slice(0, 8) };
  if (derived.size === MAX_DERIVED) derived.clear();
  derived.set(secret, key);
  return key;
}

/** The current key, and the previous one while values under it remain. */
export function encryptionKeys(): EncryptionKeys {
  const { ENCRYPTION_KEY: current, ENCRYPTION_KEY_PREVIOUS: previous } = env();
  return previous ? [current, previous] : [current];
}

/** Compares in constant time: reveals neither where the texts differ nor the expected length. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

const digest = (text: string) => createHash("sha256").update(text).digest();

const TOKEN_BYTES = 32;

/** Creates the secret of a single-use link: 256 random bits, URL-safe. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Whether a text has the form of a token; anything else is not looked up. */
export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

// A 256-bit random token cannot be guessed, so a fast hash is enough.
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}
