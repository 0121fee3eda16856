import ipaddr from "ipaddr.js";
import type { Credentials } from "@/lib/api-keys/authenticate";
import { AppError, type Issue, invalid } from "@/lib/core/app-error";
import { characterCount } from "@/lib/core/text";

/** What our front door (server.ts) says of the connection; a client's headers of these names never get past it. */
export const SOCKET_ADDRESS_HEADER = "x-switchboard-socket-address";
export const REPEATED_HEADERS_HEADER = "x-switchboard-repeated-headers";
export const METHOD_HEADER = "x-switchboard-method";
export const REFUSAL_HEADER = "x-switchboard-refusal";

const MAX_KEY_CHARACTERS = 255;

/** Both halves of a key pair under either name; undefined where one is missing or the two names disagree. */
export function readCredentials(headers: Headers): Credentials | undefined {
  const apiKey = oneOf(headers, "apikey", "x-api-key");
  const apiSecret = oneOf(headers, "apisecret", "x-api-secret");
  return apiKey && apiSecret ? { apiKey, apiSecret } : undefined;
}

/** The public half of the key pair that a call names, where it looks like one of ours: a swapped secret never does. */
export function readNamedKey(headers: Headers): string | undefined {
  const apiKey = oneOf(headers, "apikey", "x-api-key");
  return apiKey && /^pk_(live|test)_[0-9A-Za-z]{16,64}$/.test(apiKey) ? apiKey : undefined;
}

/**
 * The idempotency key of the header, of the body field, or of both where they are the same.
 * Throws VALIDATION_ERROR where they differ: a silent winner would either double a send or drop one.
 */
export function readIdempotencyKey(headers: Headers, field: unknown): string | undefined {
  const repeated = (headers.get(REPEATED_HEADERS_HEADER) ?? "").split(",");
  if (repeated.includes("idempotency-key")) {
    throw invalid([{ path: "Idempotency-Key", message: "is sent twice. Send the header once." }]);
  }
  const inHeader = headers.get("idempotency-key");
  const fromHeader = inHeader === null ? undefined : checkKey("Idempotency-Key", fromUtf8(inHeader));
  const fromBody = field === undefined || field === null ? undefined : checkKey("idempotencyKey", field);
  if (fromHeader !== undefined && fromBody !== undefined && fromHeader !== fromBody) {
    throw invalid([
      {
        path: "idempotencyKey",
        message: "differs from the header Idempotency-Key. Send one of them, or the same value in both.",
      },
    ]);
  }
  return fromHeader ?? fromBody;
}

/**
 * The address that a client is limited by: the socket's own, or the one that `trustedProxyHops` proxies in front have
 * written down, counted from the right. IPv6 counts by its /64. Where no proxy vouches for an address all share one.
 */
export function clientAddress(
  headers: Pick<Headers, "get">,
  { trustedProxyHops, hasFrontDoor, isVercel }: { trustedProxyHops: number; hasFrontDoor: boolean; isVercel: boolean },
): string {
  if (isVercel) return normalize(headers.get("x-vercel-forwarded-for")?.split(",")[0]) ?? UNKNOWN;
  const forwarded = trustedProxyHops > 0 ? (headers.get("x-forwarded-for") ?? "").split(",").filter(Boolean) : [];
  const socket = hasFrontDoor ? headers.get(SOCKET_ADDRESS_HEADER) : null;
  const chain = [...forwarded, ...(socket === null ? [] : [socket])];
  const hops = socket === null ? trustedProxyHops - 1 : trustedProxyHops;
  return normalize(chain[Math.max(0, chain.length - 1 - hops)]) ?? normalize(socket ?? undefined) ?? UNKNOWN;
}

/** The method of the request line, which is another than the handler's where the framework knows no handler for it. */
export function requestMethod(headers: Headers, handled: string, { hasFrontDoor }: { hasFrontDoor: boolean }): string {
  return (hasFrontDoor && headers.get(METHOD_HEADER)) || handled;
}

/** A fault in the path that our front door found, and leaves to the routes so that it counts on their limits. */
export function pathFault(headers: Headers, { hasFrontDoor }: { hasFrontDoor: boolean }): AppError | undefined {
  const [, code, message] = /^(NOT_FOUND|VALIDATION_ERROR) (.+)$/.exec(headers.get(REFUSAL_HEADER) ?? "") ?? [];
  if (!hasFrontDoor || !message) return undefined;
  return new AppError(code === "NOT_FOUND" ? code : "VALIDATION_ERROR", message, { details: { retryable: false } });
}

const UNKNOWN = "unknown";

const oneOf = (headers: Headers, name: string, alternative: string): string | undefined => {
  const [first, second] = [headers.get(name), headers.get(alternative)];
  if (first !== null && second !== null && first !== second) return undefined;
  return first ?? second ?? undefined;
};

// Header bytes arrive as Latin-1; a key that is UTF-8 must be the same text as in a body.
const fromUtf8 = (value: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
};

const checkKey = (path: string, value: unknown): string => {
  const fault = (message: string): Issue[] => [{ path, message }];
  if (typeof value !== "string") throw invalid(fault("must be a string."));
  const key = value.trim();
  if (key === "") throw invalid(fault("is empty. Send a key that is unique to this message, or leave it out."));
  if (characterCount(key) > MAX_KEY_CHARACTERS) {
    throw invalid(fault(`has ${characterCount(key)} characters, limit ${MAX_KEY_CHARACTERS}. Shorten it.`));
  }
  if (/\p{C}|[\u2028\u2029]/u.test(key))
    throw invalid(fault("has characters that cannot be printed. Use letters, digits and punctuation."));
  return key;
};

const normalize = (address: string | undefined): string | undefined => {
  const bare = address
    ?.trim()
    .replace(/^\[(.*)\](:\d+)?$/, "$1")
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  if (!bare || !ipaddr.isValid(bare)) return undefined;
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = parsed.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
};
