import { createHmac, timingSafeEqual } from "node:crypto";

const HEADER = /^sha256=([0-9a-f]{64})$/i;

/**
 * True where `header` (`X-Hub-Signature-256`) is the HMAC-SHA256 of the raw bytes under one of the secrets. An absent
 * or malformed header, no secret and an empty secret are all false.
 */
export function isSigned(raw: Uint8Array, header: string | null, secrets: string[]): boolean {
  const check = startSignatureCheck(header, secrets);
  check?.add(raw);
  return check?.isSigned() ?? false;
}

/** A body's signature, checked as the body arrives. */
export type SignatureCheck = { add: (chunk: Uint8Array) => void; isSigned: () => boolean };

/** As `isSigned` for bytes that come in parts; undefined where the header is absent or malformed, as no bytes match it. */
export function startSignatureCheck(header: string | null, secrets: string[]): SignatureCheck | undefined {
  const hex = HEADER.exec(header ?? "")?.[1];
  if (!hex) return undefined;
  const given = Buffer.from(hex, "hex");
  // Anybody can sign with an empty secret, so it must never count.
  const digests = secrets.filter(Boolean).map((secret) => createHmac("sha256", secret));
  return {
    add: (chunk) => {
      for (const digest of digests) digest.update(chunk);
    },
    isSigned: () => digests.some((digest) => timingSafeEqual(digest.digest(), given)),
  };
}

/** The header value that WhatsApp would send with `raw`: `sha256=` and lower-case hex. */
export function sign(raw: Uint8Array, secret: string): string {
  return `sha256=${digest(raw, secret).toString("hex")}`;
}

const digest = (raw: Uint8Array, secret: string): Buffer => createHmac("sha256", secret).update(raw).digest();
