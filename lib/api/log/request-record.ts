import type { Span } from "@opentelemetry/api";
import type { ApiRequest } from "@/db/schema/api-keys";
import type { Timing } from "@/lib/api/response-headers";
import type { KeyName } from "@/lib/api-keys/authenticate";
import type { AppError } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { maskedPhone, maskNumbers } from "@/lib/core/phone";
import { characterCount, cutText } from "@/lib/core/text";
import { errorBody } from "@/lib/http/api-route";
import type { Call, TextAnswer } from "@/lib/http/call";
import { tryReadIdempotencyKey } from "@/lib/http/request-headers";
import type { RateLimitState } from "@/lib/limits/rate-limit";

const MAX_HEADER_CHARACTERS = 200;

export type Outcome = { operation: Operation; written: TextAnswer; error: AppError | undefined; durationMs: number };

/** What is known about a request so far, for its headers, log line and request log row. */
export type Trace = {
  span: Span | undefined;
  requestId: string;
  /** Of the client, and as its limit counts it. */
  ip: string;
  address: string;
  /** Safe to store. */
  path: string;
  at: Date;
  startedAtMs: number;
  limits: RateLimitState[];
  /** When a limit refused it, so that the message and headers give the same number of seconds. */
  refusedAtMs?: number;
  timing: Timing;
  principal?: KeyName;
  body?: unknown;
  logged?: Record<string, unknown>;
};

/**
 * Builds the record of a call that names `apiKey`. `body` is set for authenticated callers only. A call that is only counted
 * needs no headers, body or answer.
 */
export function toReceivedRequest(
  apiKey: string,
  call: Call,
  { requestId, address, path, at, body, timing, logged }: Trace,
  { operation, written, error, durationMs, isKept }: Outcome & { isKept: boolean },
): ReceivedRequest {
  const { method, headers } = call;
  const namedMessage = logged?.messageId ?? error?.details.messageId;
  return {
    id: requestId,
    at,
    apiKey,
    operation,
    method: method.slice(0, 20),
    path,
    status: written.status,
    errorCode: error?.code ?? null,
    clientRequestId: isKept ? storableHeader(headers.get("x-request-id")) : null,
    idempotencyKey: (isKept && tryReadIdempotencyKey(call, isRecord(body) ? body.idempotencyKey : undefined)) || null,
    isReplay: written.headers["Idempotent-Replayed"] !== undefined,
    messageId: typeof namedMessage === "string" ? namedMessage : null,
    ip: address,
    userAgent: isKept ? storableHeader(headers.get("user-agent")) : null,
    durationMs: Math.round(durationMs),
    platformMs: timing.platformMs ?? null,
    body: body === undefined ? null : redactedBody(body),
    answer: isKept && error ? redactedAnswer(errorBody(error, requestId)) : null,
  };
}

/** A header as it may be stored and logged: shortened, and without phone numbers. */
export function storableHeader(header: string | null): string | null {
  return header && maskNumbers(cutText(header, MAX_HEADER_CHARACTERS));
}

/** A call of the partner API that names a key, with any outcome. */
export type ReceivedRequest = Omit<ApiRequest, "workspaceId" | "mode" | "apiKeyId"> & {
  /** The public key that the call names; the caller may not have the secret. */
  apiKey: string;
};

export type Operation = ApiRequest["operation"];

// Stored calls keep the structure of what was sent, but no contents: no text, value or full phone number.

const MAX_ENTRIES = 50;
const MAX_STORED_CHARACTERS = 8_000;

/** Values that are kept unredacted: identifiers and enums, not contents. */
const KEPT: Record<string, RegExp> = {
  type: /^(text|template|interactive)$/,
  templateName: /^[a-z0-9_]{1,100}$/,
  templateLanguage: /^[a-z]{2,3}(_[A-Z]{2,4})?$/,
  expectCategory: /^(UTILITY|MARKETING|AUTHENTICATION)$/,
  phoneNumberId: /^pn_[0-9a-z]{26}$/,
  contactId: /^ct_[0-9a-z]{26}$/,
  format: /^(image|video|document|text)$/i,
  sub_type: /^(quick_reply|url|copy_code|catalog|flow)$/i,
};
const KEPT_NUMBERS = ["index", "card_index"];
const ORDINARY_KEY = /^[A-Za-z0-9_]{1,40}$/;

/** Redacts a call's body: keys stay, phones are masked, other values are replaced by their type and length. */
export function redactedBody(body: unknown): string {
  return stored(redact(body, undefined));
}

/** Redacts an error response: our own texts, with phone numbers masked. */
export function redactedAnswer(answer: unknown): string {
  return stored(maskStrings(answer));
}

function redact(value: unknown, key: string | undefined): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return redactText(value, key);
  if (typeof value === "number") return isKeptNumber(value, key) ? value : "<number>";
  if (Array.isArray(value))
    return more(
      value.length,
      value.slice(0, MAX_ENTRIES).map((entry) => redact(entry, key)),
    );
  if (!isRecord(value)) return `<${typeof value}>`;
  const entries = Object.entries(value);
  const shown = entries.slice(0, MAX_ENTRIES).map(([name, entry], i) => [redactKey(name, i), redact(entry, name)]);
  return Object.fromEntries(
    entries.length > MAX_ENTRIES ? [...shown, ["…", `${entries.length - MAX_ENTRIES} more`]] : shown,
  );
}

function redactText(text: string, key = ""): string {
  const pattern = Object.hasOwn(KEPT, key) ? KEPT[key] : undefined;
  if (pattern?.test(text)) return maskNumbers(text);
  const digits = key === "phone" ? text.replace(/\P{Nd}/gu, "") : "";
  if (digits.length >= 7) return maskedPhone(digits);
  const length = characterCount(text);
  return `<${length} ${length === 1 ? "character" : "characters"}>`;
}

const redactKey = (name: string, place: number): string =>
  ORDINARY_KEY.test(name) && maskNumbers(name) === name ? name : `<key ${place + 1}>`;

const isKeptNumber = (value: number, key = "") =>
  KEPT_NUMBERS.includes(key) && Number.isInteger(value) && value >= 0 && value < 100;

const more = (length: number, shown: unknown[]) =>
  length > shown.length ? [...shown, `… ${length - shown.length} more`] : shown;

function maskStrings(value: unknown): unknown {
  if (typeof value === "string") return maskNumbers(value);
  if (Array.isArray(value)) return more(value.length, value.slice(0, MAX_ENTRIES).map(maskStrings));
  if (!isRecord(value)) return value;
  // An IP address looks like a phone number; the docs URL may contain one.
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      name === "docsUrl" || name === "ip" ? entry : maskStrings(entry),
    ]),
  );
}

function stored(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const cut = cutText(text, MAX_STORED_CHARACTERS);
  return cut === text ? text : `${cut}\n…`;
}
