type Call = { method: string; path: string; idempotencyKey: string | null; body: string | null };

/** A call as it can be made again from a shell. Nobody's secret is in it: it comes from the environment. */
export const reproduction = (
  { method, path, idempotencyKey, body }: Call,
  { origin, apiKey }: { origin: string; apiKey: string | undefined },
): string =>
  [
    `curl -X ${method} ${word(`${origin}${path}`)}`,
    `-H ${apiKey === undefined ? '"apiKey: $CHAT_API_KEY"' : quoted(`apiKey: ${apiKey}`)} -H "apiSecret: $CHAT_API_SECRET"`,
    ...(idempotencyKey === null ? [] : [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`]),
    ...(body === null ? [] : [`-H "Content-Type: application/json"`, `-d ${quoted(body)}`]),
  ].join(" \\\n  ");

/** Within single quotes a shell takes everything as it is, but for these quotes themselves. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const word = (text: string): string => (/^[\w:/.@%+-]+$/.test(text) ? text : quoted(text));
