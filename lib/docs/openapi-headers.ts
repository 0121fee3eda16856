import type { Schema } from "./openapi-schemas";

/** On every answer of the three endpoints. */
const EVERYWHERE = {
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
} as const;

const SOMETIMES = {
  Link: ["string", 'The page of the error’s code, with `rel="help"`.'],
  "Idempotent-Replayed": ["string", "`true`, as `idempotentReplay` says."],
  "Retry-After": ["integer", "Seconds to wait before the next call."],
  Warning: [
    "string",
    "Names the fields that had no effect beside `templateComponents`, or says that the person gave up the number that was sent to.",
  ],
} as const;

export type HeaderName = keyof typeof SOMETIMES;

/** The headers of answers, as components of the document. */
export function openApiHeaders(): Schema {
  return Object.fromEntries(
    Object.entries({ ...EVERYWHERE, ...SOMETIMES }).map(([name, [type, description]]) => [
      name,
      { schema: { type }, description },
    ]),
  );
}

/** What an answer carries: the headers of all, and those of its own. */
export function headersOf(own: readonly HeaderName[]): Schema {
  return Object.fromEntries(
    [...Object.keys(EVERYWHERE), ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
