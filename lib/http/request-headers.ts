import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import type { Credentials } from "@/lib/api-keys/authenticate";
import { AppError, invalidAt } from "@/lib/core/app-error";
import { isSameSecret } from "@/lib/core/crypto";
import { env } from "@/lib/core/env";
import { hasFrontDoor } from "@/lib/core/own-server";
import { characterCount } from "@/lib/core/text";
import type { Call, CallHeaders } from "./call";

/** Headers by which our front door hands a call on to the page process; it removes those sent by clients. */
export const SOCKET_ADDRESS_HEADER = "x-switchboard-socket-address";
export const REPEATED_HEADERS_HEADER = "x-switchboard-repeated-headers";
export const METHOD_HEADER = "x-switchboard-method";

const MAX_KEY_CHARACTERS = 255;

/** A call that may name its message by an idempotency key. */
export type KeyedCall = Pick<Call, "headers" | "repeated">;
type Caller = Pick<Call, "peer"> & { headers: Pick<Headers, "get"> };

/** Reads the credentials from either header name; undefined if one is missing or the two names conflict. */
export function readCredentials(headers: CallHeaders): Credentials | undefined {
  const apiKey = oneOf(headers, "apikey", "x-api-key");
  const apiSecret = oneOf(headers, "apisecret", "x-api-secret");
  return apiKey && apiSecret ? { apiKey, apiSecret } : undefined;
}

/** Returns the public key that a call names, if it has our format; a swapped secret does not. */
export function readNamedKey(headers: CallHeaders): string | undefined {
  const apiKey = oneOf(headers, "apikey", "x-api-key");
  return apiKey && /^pk_(live|test)_[0-9A-Za-z]{16,64}$/.test(apiKey) ? apiKey : undefined;
}

/**
 * Returns the idempotency key from the header, the body field, or both if they are equal.
 * Throws VALIDATION_ERROR if they differ: picking one silently could send twice or drop a message.
 */
export function readIdempotencyKey({ headers, repeated }: KeyedCall, field: unknown): string | undefined {
  const inHeader = headers.get("idempotency-key");
  if (repeated?.includes("idempotency-key")) {
    throw invalidAt("Idempotency-Key", "is sent twice. Send the header once.");
  }
  // Such a server has joined a header that was sent twice.
  if (!repeated && inHeader?.includes(", ")) {
    const message = "is sent twice, or has a comma and a space, which look the same here. Send one key without them.";
    throw invalidAt("Idempotency-Key", message);
  }
  const fromHeader = inHeader === null ? undefined : checkKey("Idempotency-Key", fromUtf8(inHeader));
  const fromBody = field === undefined || field === null ? undefined : checkKey("idempotencyKey", field);
  if (fromHeader !== undefined && fromBody !== undefined && fromHeader !== fromBody) {
    throw invalidAt(
      "idempotencyKey",
      "differs from the header Idempotency-Key. Send one of them, or the same value in both.",
    );
  }
  return fromHeader ?? fromBody;
}

/** The same; undefined where the key is at fault. */
export function tryReadIdempotencyKey(call: KeyedCall, field?: unknown): string | undefined {
  try {
    return readIdempotencyKey(call, field);
  } catch {
    return undefined;
  }
}

type ProxySettings = { trustedProxyHops: number; isVercel: boolean };

/**
 * Returns the client's IP address: the socket's, or the one that `trustedProxyHops` proxies in front have added, counted from
 * the right. Without a trusted address all clients share one.
 */
export function clientIp({ headers, peer }: Caller, { trustedProxyHops, isVercel }: ProxySettings): string {
  if (isVercel) return normalize(headers.get("x-vercel-forwarded-for")?.split(",")[0]) ?? UNKNOWN;
  const forwarded = trustedProxyHops > 0 ? (headers.get("x-forwarded-for") ?? "").split(",").filter(Boolean) : [];
  const chain = peer === undefined ? forwarded : [...forwarded, peer];
  const hops = peer === undefined ? trustedProxyHops - 1 : trustedProxyHops;
  return normalize(chain[Math.max(0, chain.length - 1 - hops)]) ?? normalize(peer) ?? UNKNOWN;
}

/** Returns what a client's address counts as for rate limits, and is logged as: one IPv6 client has a /64, this machine `::1`. */
export function rateLimitAddress(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.parse(ip);
  if (address.range() === "loopback") return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}

const UNKNOWN = "unknown";

function oneOf(headers: CallHeaders, name: string, alternative: string): string | undefined {
  const [first, second] = [headers.get(name), headers.get(alternative)];
  if (first !== null && second !== null && first !== second) return undefined;
  return first ?? second ?? undefined;
}

// Headers arrive as Latin-1; decode UTF-8, so that a key is the same text as in a body.
function fromUtf8(value: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

function checkKey(path: string, value: unknown): string {
  if (typeof value !== "string") throw invalidAt(path, "must be a string.");
  const key = value.trim();
  if (key === "") throw invalidAt(path, "is empty. Send a key that is unique to this message, or leave it out.");
  const length = characterCount(key);
  if (length > MAX_KEY_CHARACTERS)
    throw invalidAt(path, `has ${length} characters, limit ${MAX_KEY_CHARACTERS}. Shorten it.`);
  if (/\p{C}|[\u2028\u2029]/u.test(key))
    throw invalidAt(path, "has characters that cannot be printed. Use letters, digits and punctuation.");
  return key;
}

function normalize(address: string | undefined): string | undefined {
  const bare = address
    ?.trim()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  if (!bare) return undefined;
  // The usual form is checked without parsing.
  if (isIPv4(bare)) return bare;
  // Without `isIPv6`, ipaddr.js would read `0313.0.113.9` in octal, and a single number as an address.
  if (!isIPv6(bare) || !ipaddr.isValid(bare)) return undefined;
  const parsed = ipaddr.process(bare);
  // Without a zone, which only the machine that reports it knows.
  return (parsed.kind() === "ipv4" ? parsed : ipaddr.fromByteArray(parsed.toByteArray())).toString();
}

/** Returns the client's IP address, according to the deployment's proxy settings. */
export function callerIp(caller: Caller): string {
  return clientIp(caller, { trustedProxyHops: env().TRUSTED_PROXY_HOPS, isVercel: env().VERCEL });
}

/** The same of a page's request, as rate limits count it. */
export function callerAddress(headers: Pick<Headers, "get">): string {
  return rateLimitAddress(callerIp({ headers, peer: peerOf(headers) }));
}

/** The address of the socket at our front door, if there is one in front of this process. */
export function peerOf(headers: Pick<Headers, "get">): string | undefined {
  return (hasFrontDoor() && headers.get(SOCKET_ADDRESS_HEADER)) || undefined;
}

/** Throws UNAUTHORIZED unless the bearer token is CRON_SECRET; without that variable all calls are refused. */
export function requireCronSecret(headers: CallHeaders): void {
  const expected = env().CRON_SECRET;
  const given = headers.get("authorization") ?? "";
  if (expected && isSameSecret(given, `Bearer ${expected}`)) return;
  throw new AppError("UNAUTHORIZED", "Send Authorization: Bearer with the deployment's CRON_SECRET.", {
    details: { retryable: false },
  });
}
