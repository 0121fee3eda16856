import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secrets under which values are kept. The first writes, all read, so that one can be replaced without a pause. */
export type EncryptionKeys = readonly [string, ...string[]];

/** Encrypts `plain` with AES-256-GCM as `v1.<key id>.<base64url>`; `row` binds it to where it is stored. */
export function encrypt(plain: string, row: string, keys: EncryptionKeys): string {
  const key = derive(keys[0]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(row));
  const sealed = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1.${keyId(key)}.${sealed.toString("base64url")}`;
}

/** How every value begins that the first key has encrypted. */
export function currentSeal([current]: EncryptionKeys): string {
  return `v1.${keyId(derive(current))}.`;
}

/** Throws where the value was changed, belongs to another row, or was written under a key that is no longer known. */
export function decrypt(value: string, row: string, keys: EncryptionKeys): string {
  const [version, id, sealed] = value.split(".");
  const key = keys.map(derive).find((candidate) => keyId(candidate) === id);
  if (version !== "v1" || !sealed || !key)
    throw new Error("The stored value was encrypted under a key that is not configured.");
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(row))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
}

const derive = (secret: string) => createHash("sha256").update("switchboard encryption key\0").update(secret).digest();
const keyId = (key: Buffer) => createHash("sha256").update(key).digest("hex").slice(0, 8);
