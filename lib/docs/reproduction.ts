import { curl, quoted } from "./curl";

type Call = { method: string; path: string; idempotencyKey: string | null; body: string | null };

/** A call of the log as it can be made again from a shell. */
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
