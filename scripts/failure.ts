/** One sentence for a terminal: what failed, down to the first cause, with the fix where it is known. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return sentenceOf(error.cause);
  const code = "code" in error ? String(error.code) : "";
  if (UNREACHABLE.has(code)) return `The database does not answer (${code}). Is it running, and is DATABASE_URL right?`;
  return error.message || code || error.name;
}

const UNREACHABLE = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ETIMEDOUT", "CONNECT_TIMEOUT", "EAI_AGAIN"]);
