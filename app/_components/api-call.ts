/** A key that no other message has. Not `randomUUID`, which plain http does not have. */
export function newIdempotencyKey(prefix: string): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(12))];
  return `${prefix}-${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
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
