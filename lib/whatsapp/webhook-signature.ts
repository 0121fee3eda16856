import { createHmac, timingSafeEqual } from "node:crypto";
import { newId } from "@/lib/core/new-id";

const HEADER = /^sha256=([0-9a-f]{64})$/i;

/**
 * Returns true if `header` (`X-Hub-Signature-256`) is the HMAC-SHA256 of the raw bytes under a secret. An absent
 * or malformed header, no secret and an empty secret are all false.
 */
export function isSigned(raw: Uint8Array, header: string | null, secrets: string[]): boolean {
  const check = startSignatureCheck(header, secrets);
  check?.add(raw);
  return check?.isSigned() ?? false;
}

/** A body's signature, checked as the body arrives. */
export type SignatureCheck = { add: (chunk: Uint8Array) => void; isSigned: () => boolean };

/** Like `isSigned`, for chunks; undefined if the header is absent or malformed, because no bytes can match it. */
export function startSignatureCheck(header: string | null, secrets: string[]): SignatureCheck | undefined {
  const hex = HEADER.exec(header ?? "")?.[1];
  if (!hex) return undefined;
  const given = Buffer.from(hex, "hex");
  // Anyone can sign with an empty secret, so never accept it.
  const digests = secrets.filter(Boolean).map((secret) => createHmac("sha256", secret));
  return {
    add: (chunk) => {
      for (const digest of digests) digest.update(chunk);
    },
    isSigned: () => digests.some((digest) => timingSafeEqual(digest.digest(), given)),
  };
}

/** Returns the header value that WhatsApp would send with `raw`: `sha256=` and lower-case hex. */
export function sign(raw: string | Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`;
}

/** Escapes JSON as WhatsApp sends it: ASCII only, with lower-case `\uXXXX`. */
export function asciiJson(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const PREFIX = "switchboard-check-";

/** The challenge of our own check, which does not count as a verification by WhatsApp. */
export function newOwnChallenge(): string {
  return `${PREFIX}${newId("req")}`;
}

export function isOwnChallenge(challenge: string | null): boolean {
  return challenge?.startsWith(PREFIX) ?? false;
}

/**
 * Returns the signing secret of the built-in sandbox. Not the app secret, because sandbox webhooks may affect
 * only test lines, whatever line they name.
 */
export function sandboxSecret(appSecret: string): string {
  return createHmac("sha256", appSecret).update("switchboard sandbox").digest("hex");
}
