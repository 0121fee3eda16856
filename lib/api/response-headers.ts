type Described = Record<string, readonly ["string" | "integer", string]>;

/** On every response of the partner API. */
export const COMMON_HEADERS = {
  "X-Request-Id": ["string", "Identifies this call in the dashboard’s request log."],
  "RateLimit-Limit": ["integer", "Requests allowed per 15 minutes by the tighter limit."],
  "RateLimit-Remaining": [
    "integer",
    "How many of them are left. No `RateLimit` header is on a 503 that could not be counted.",
  ],
  "RateLimit-Reset": ["integer", "Seconds until the count starts again."],
  "RateLimit-Policy": ["string", 'Every limit that applies: `"ip";q=100;w=900, "key";q=300;w=900`.'],
  "Server-Timing": ["string", "Time spent in Switchboard and in WhatsApp, in milliseconds."],
  "API-Version": ["integer", "`1`, as in the path."],
  "X-Mode": ["string", "`test` or `live`, the key’s mode; absent where the call was refused before its key was read."],
} as const satisfies Described;

/** On responses that list them. */
export const OPTIONAL_HEADERS = {
  Link: ["string", 'The page of the error’s code, with `rel="help"`.'],
  "X-Contact-Id": ["string", "Our id of the recipient, which stays when their number changes."],
  "Idempotent-Replayed": ["string", "`true` if the response is a replay."],
  "Retry-After": ["integer", "Seconds to wait before the next call."],
  Warning: [
    "string",
    "Lists fields ignored because `templateComponents` was sent, or says that the recipient no longer uses this number.",
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
