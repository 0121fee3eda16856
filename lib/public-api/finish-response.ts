import type { Method } from "./methods";

/** On every answer under /api. */
export const API_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/** Gives an answer what every one under /api carries, and `headers`; of an answer to HEAD only the head is left. */
export function finishResponse(
  response: Response,
  { method, requestId, headers = {} }: { method: Method; requestId: string; headers?: Record<string, string> },
): Response {
  const all = { ...API_HEADERS, "X-Request-Id": requestId, ...headers };
  for (const [name, value] of Object.entries(all)) response.headers.set(name, value);
  return method === "HEAD" ? new Response(null, response) : response;
}
