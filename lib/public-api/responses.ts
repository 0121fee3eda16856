import { DatabaseUnavailable } from "@/db/client";
import { AppError, internalError } from "@/lib/core/app-error";
import type { Written } from "@/lib/core/beside-request";
import { env } from "@/lib/core/env";
import type { Method } from "./methods";

const RETRY_AFTER_SECONDS = 5;

/** Converts a failure for the caller: an AppError stays, an unavailable database is a 503, anything else a 500. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new AppError(
      "SERVICE_UNAVAILABLE",
      "Our database is unavailable. Retry in a few seconds; with an Idempotency-Key that is always safe.",
      {
        details: { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS },
        cause: error,
      },
    );
  }
  return internalError(error);
}

/** Returns the body of every error under /api: `error`, `message`, and `details` with `requestId` and `docsUrl`. */
export function errorBody({ code, message, details }: AppError, requestId: string) {
  return {
    error: code,
    message,
    details: { requestId, docsUrl: `${env().APP_URL}/docs/errors/${code}`, ...details },
  };
}

/** Returns a failure as an answer in the shape of all errors under /api. */
export function errorAnswer(error: unknown, requestId: string): Written {
  const failure = toAppError(error);
  const { status, details, headers } = failure;
  const retryAfter = details.retryAfterSeconds;
  const body = errorBody(failure, requestId);
  return {
    status,
    headers: {
      "Content-Type": "application/json",
      Link: `<${body.details.docsUrl}>; rel="help"`,
      ...((status === 429 || status === 503) && retryAfter ? { "Retry-After": String(retryAfter) } : {}),
      ...headers,
    },
    text: JSON.stringify(body),
  };
}

export function errorResponse(error: unknown, { requestId }: { requestId: string }): Response {
  const { text, ...head } = errorAnswer(error, requestId);
  return new Response(text, head);
}

/** On every answer under /api. */
export const API_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/** Adds the headers of every /api response, and `headers`; removes the body for HEAD. */
export function finishResponse(
  response: Response,
  { method, requestId, headers = {} }: { method: Method; requestId: string; headers?: Record<string, string> },
): Response {
  const all = { ...API_HEADERS, "X-Request-Id": requestId, ...headers };
  for (const [name, value] of Object.entries(all)) response.headers.set(name, value);
  return method === "HEAD" ? new Response(null, response) : response;
}

type Described = Record<string, readonly ["string" | "integer", string]>;

/** On every response of the partner API. */
export const COMMON_HEADERS = {
  "X-Request-Id": ["string", "Names this call in the dashboard’s log of requests."],
  "RateLimit-Limit": ["integer", "How many calls the tighter of the two limits takes in 15 minutes."],
  "RateLimit-Remaining": [
    "integer",
    "How many of them are left. No `RateLimit` header is on a 503 that could not be counted.",
  ],
  "RateLimit-Reset": ["integer", "Seconds until the count starts again."],
  "RateLimit-Policy": ["string", 'Every limit that applies: `"ip";q=100;w=900, "key";q=300;w=900`.'],
  "Server-Timing": ["string", "Milliseconds that Switchboard took, and those that WhatsApp took."],
  "API-Version": ["integer", "`1`, as in the path."],
  "X-Mode": ["string", "`test` or `live`, the key’s mode; absent where the call was refused before its key was read."],
} as const satisfies Described;

/** On responses that list them. */
export const OPTIONAL_HEADERS = {
  Link: ["string", 'The page of the error’s code, with `rel="help"`.'],
  "Idempotent-Replayed": ["string", "`true`, as `idempotentReplay` says."],
  "Retry-After": ["integer", "Seconds to wait before the next call."],
  Warning: [
    "string",
    "Names the fields that had no effect beside `templateComponents`, or says that the person gave up the number that was sent to.",
  ],
} as const satisfies Described;

export type HeaderName = keyof typeof OPTIONAL_HEADERS;

/** The part of a call's duration spent in WhatsApp. */
export type Timing = { platformMs?: number };

/** `app;dur=3.2, platform;dur=180`: ours and WhatsApp's share of a call, in milliseconds. */
export function serverTiming(durationMs: number, { platformMs }: Timing): string {
  const ours = Math.max(0, durationMs - (platformMs ?? 0));
  const platform = platformMs === undefined ? "" : `, platform;dur=${platformMs}`;
  return `app;dur=${ours.toFixed(1)}${platform}`;
}
