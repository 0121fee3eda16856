import { WebhookVerificationError } from "./errors.js";
import type { WebhookEvent } from "./resources.js";

/** Those of a `Request`, or an object such as Node's `request.headers`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How far the time of the attempt may be from now, in both directions; 300 by default. */
  toleranceSeconds?: number | undefined;
};

const DEFAULT_TOLERANCE_SECONDS = 300;

/**
 * Returns the event of a webhook after checking its signature and age (https://www.standardwebhooks.com). `body` is the
 * request's body as it arrived, before any JSON parser; `secret` is the endpoint's, `whsec_…`. Store `webhook-id`: a
 * delivery may be repeated. A later version may have other types of events: ignore those. Throws
 * `WebhookVerificationError`; where `secret` is missing, its fault is `secret`.
 */
export const verifyWebhook = async (
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | undefined,
  { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> => {
  const [id, timestamp, signatures] = [
    readHeader(headers, "webhook-id"),
    readHeader(headers, "webhook-timestamp"),
    readHeader(headers, "webhook-signature"),
  ];
  checkTimestamp(timestamp, toleranceSeconds);
  const bytes = bytesOf(body);
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const key = await crypto.subtle.importKey("raw", readSecret(secret), HMAC, false, ["verify"]);
  for (const signature of signaturesOf(signatures)) {
    // `verify` compares in constant time.
    if (await crypto.subtle.verify("HMAC", key, signature, signed)) return readEvent(bytes);
  }
  throw new WebhookVerificationError("signature", "No signature of the webhook matches its body and your secret.");
};

const bytesOf = (body: string | Uint8Array | ArrayBuffer): Uint8Array => {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body;
};

const HMAC = { name: "HMAC", hash: "SHA-256" };

const readHeader = (headers: WebhookHeaders, name: string): string => {
  const given = isHeaders(headers) ? headers.get(name) : findHeader(headers, name);
  const value = typeof given === "string" ? given : given?.[0];
  if (value) return value;
  throw new WebhookVerificationError("header", `The header ${name} is missing.`);
};

/** By its method: a runtime may have several classes of that name. */
const isHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers.get === "function";

const findHeader = (headers: Exclude<WebhookHeaders, Headers>, name: string) =>
  Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];

const checkTimestamp = (timestamp: string, toleranceSeconds: number): void => {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  // In whole seconds, as the time of the attempt is.
  if (Math.abs(Math.floor(Date.now() / 1_000) - seconds) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    "timestamp",
    `The header webhook-timestamp must be within ${toleranceSeconds} s of now, in Unix seconds; it is "${timestamp.slice(0, 20)}".`,
  );
};

const readSecret = (secret: string | undefined) => {
  if (!secret)
    throw new WebhookVerificationError("secret", "The secret is missing: pass that of the endpoint, whsec_….");
  const key = readBase64(secret.replace(/^whsec_/, ""));
  if (key && key.length > 0) return key;
  throw new WebhookVerificationError("secret", "The secret must be that of the endpoint: whsec_ and base64.");
};

/** The signatures of version 1; several during a rotation of the secret. */
const signaturesOf = (header: string) =>
  header.split(" ").flatMap((entry) => {
    const signature = entry.startsWith("v1,") ? readBase64(entry.slice("v1,".length)) : undefined;
    return signature ? [signature] : [];
  });

const readEvent = (bytes: Uint8Array): WebhookEvent => {
  const event = parseBytes(bytes);
  if (typeof event === "object" && event !== null && "type" in event && "data" in event) return event as WebhookEvent;
  throw new WebhookVerificationError("body", "The body of the webhook is not an event in JSON.");
};

const parseBytes = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
};

const readBase64 = (text: string) => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const concatenate = (first: Uint8Array, second: Uint8Array) => {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
};
