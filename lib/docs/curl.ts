type CurlCall = {
  method: string;
  /** Quoted as the shell needs it. */
  url: string;
  /** Undefined to read it from the environment. */
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

/** Uses double quotes if the shell would expand nothing inside them. */
function quoted(text: string): string {
  return /["$`\\!]/.test(text) ? shellQuoted(text) : `"${text}"`;
}

/** In single quotes a shell takes everything literally, except single quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The environment variables that every example reads a key pair from. */
export const KEY_NAME = "CHAT_API_KEY";
export const SECRET_NAME = "CHAT_API_SECRET";

type Call = { method: string; path: string; idempotencyKey: string | null; body: string | null };

/** Returns a curl command that repeats a logged call. */
export function reproduction(
  { method, path, idempotencyKey, body }: Call,
  { origin, apiKey }: { origin: string; apiKey: string | undefined },
): string {
  return curl({
    method,
    url: quoted(`${origin}${path}`),
    apiKey,
    idempotencyKey: idempotencyKey ?? undefined,
    body: body ?? undefined,
  });
}
