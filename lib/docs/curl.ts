import { KEY_NAME, SECRET_NAME } from "./variable-names";

type CurlCall = {
  method: string;
  /** Quoted as the shell needs it. */
  url: string;
  /** Undefined where the environment holds it. */
  apiKey: string | undefined;
  idempotencyKey: string | undefined;
  /** JSON. */
  body: string | undefined;
};

/** A call of the partner API for a shell. The secret is never in it: it comes from the environment. */
export function curl({ method, url, apiKey, idempotencyKey, body }: CurlCall): string {
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${url}`,
    `-H ${apiKey === undefined ? `"apiKey: $${KEY_NAME}"` : quoted(`apiKey: ${apiKey}`)}`,
    `-H "apiSecret: $${SECRET_NAME}"`,
    ...(idempotencyKey === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${shellQuoted(body)}`]),
  ].join(" \\\n  ");
}

/** In the double quotes that people write, where a shell finds nothing to expand between them. */
export function quoted(text: string): string {
  return /["$`\\!]/.test(text) ? shellQuoted(text) : `"${text}"`;
}

/** Within single quotes a shell takes everything as it is, but for these quotes themselves. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
