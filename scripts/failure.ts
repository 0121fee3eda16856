import { faultSentence } from "./fault-sentence.mjs";

/** Returns one sentence about an error's root cause, with a fix if known. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return sentenceOf(error.cause);
  const code = "code" in error ? String(error.code) : "";
  if (UNREACHABLE.has(code)) return `The database does not answer (${code}). Is it running, and is DATABASE_URL right?`;
  // Of all statements, only those of the migrations create tables.
  if (code === "42P07") return `The database holds tables of another program (${error.message}). Use an empty one.`;
  return faultSentence(error);
}

const UNREACHABLE = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ETIMEDOUT", "CONNECT_TIMEOUT", "EAI_AGAIN"]);
