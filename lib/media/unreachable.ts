import { codeOrClass } from "@/lib/core/log";

/**
 * Returns why a URL did not respond, as a clause. Uses an error code or class, never its message, which may quote the
 * URL with a token.
 */
export function whyUnreachable(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return "it could not be reached";
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1_000} s, as behind a firewall`;
  const code = codeOrClass(error.cause instanceof Error ? error.cause : error);
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)
    ? `its certificate is not trusted (${code})`
    : `it could not be reached (${code})`;
}
