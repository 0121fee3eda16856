const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/**
 * How long to wait before a retry, in milliseconds: at least `retryAfterMs`, at least a backoff that doubles from 0.5 s
 * to 8 s, and up to half of that backoff more, so that callers refused together do not return together.
 */
export const retryDelayMs = (retry: number, retryAfterMs = 0, random: () => number = Math.random): number => {
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
  return Math.max(retryAfterMs, backoffMs) + (random() * backoffMs) / 2;
};

/** The wait that a `Retry-After` header asks for, in milliseconds. It holds seconds or an HTTP date; else undefined. */
export const readRetryAfterMs = (header: string | null, nowMs: number): number | undefined => {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
};
