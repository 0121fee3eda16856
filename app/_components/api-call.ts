import { isRecord } from "@/lib/core/json";

/** A key that no other message has. Not `randomUUID`, which plain http does not have. */
export function newIdempotencyKey(prefix: string): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(12))];
  return `${prefix}-${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Longer than the server ever takes. */
const TIMEOUT_MS = 30_000;

/** An answer of the API, as a page shows it. */
export type ApiAnswer = {
  status: number;
  ms: number;
  requestId: string | null;
  headers: Headers;
  /** The parsed body; undefined if it is not JSON. */
  body: unknown;
  /** The body as indented JSON, or as it came. */
  text: string;
  /** The error code, if it has a page in the docs. */
  error: string | null;
};

/** Calls the API from a page as a program would. Rejects if no answer came. */
export async function callApi(address: string, call: RequestInit = {}): Promise<ApiAnswer> {
  const startedAtMs = performance.now();
  const response = await fetch(address, { ...call, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  const body = readJson(text);
  const error = isRecord(body) ? body.error : undefined;
  return {
    status: response.status,
    ms: Math.round(performance.now() - startedAtMs),
    requestId: response.headers.get("x-request-id"),
    headers: response.headers,
    body,
    text: body === undefined ? text : JSON.stringify(body, null, 2),
    error: typeof error === "string" ? error : null,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the data of a page's own route; undefined on any other response, such as after the session ended, or on none. */
export async function readData<Data>(address: string, call: RequestInit = {}): Promise<Data | undefined> {
  try {
    const response = await fetch(address, call);
    if (!response.ok) return undefined;
    const { data }: { data: Data } = await response.json();
    return data;
  } catch {
    return undefined;
  }
}

/** `201 Created`: HTTP/2 has no words of its own. */
export function statusText(status: number): string {
  return `${status}${WORDS[status] ? ` ${WORDS[status]}` : ""}`;
}

const WORDS: Record<number, string> = {
  200: "OK",
  201: "Created",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};
