import { Secret, TOTP } from "otpauth";
import { hashToken } from "@/lib/core/crypto";

// Six digits every 30 seconds, by HMAC-SHA1: authenticator apps ignore any other setting, some without a word.

/** As RFC 4226 recommends: the secret of the first kind, 160 bits. */
const SECRET_BYTES = 20;
/** Random enough that a fast hash of it cannot be searched. */
const RECOVERY_BYTES = 10;
const RECOVERY_CODES = 10;

/** Creates the secret that an authenticator app shares, in base32. */
export function newFactorSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The address that a QR code holds. The host tells apart the codes of several deployments in one app. */
export function enrolmentAddress(secret: string, { email, appUrl }: { email: string; appUrl: string }): string {
  const issuer = `Switchboard ${new URL(appUrl).hostname}`;
  return new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret) }).toString();
}

/** What a person typed: digits of an app, or a recovery code, with or without its dashes and in either case. */
export type GivenCode = { kind: "app"; digits: string } | { kind: "recovery"; hash: string };

/** Undefined for a text that is no code. */
export function readCode(given: string): GivenCode | undefined {
  const text = given.normalize("NFKC").replace(/[\s-]/g, "").toLowerCase();
  if (/^\d{6}$/.test(text)) return { kind: "app", digits: text };
  return /^[a-z2-7]{16}$/.test(text) ? { kind: "recovery", hash: hashOf(text) } : undefined;
}

/** Returns the time step whose code these digits are: the present one or one beside it, as clocks differ. */
export function stepOf(secret: string, digits: string, now: Date): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const timestamp = now.getTime();
  const delta = totp.validate({ token: digits, timestamp, window: 1 });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

/** Ten codes that work once each, in place of the app's. Only their hashes are stored. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: RECOVERY_CODES }, () => new Secret({ size: RECOVERY_BYTES }).base32.toLowerCase());
  return { codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, "$1-")), hashes: plain.map(hashOf) };
}

const hashOf = (code: string): string => Buffer.from(hashToken(code)).toString("hex");
