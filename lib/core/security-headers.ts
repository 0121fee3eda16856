type Page = {
  /** Per request: only scripts with this nonce run. */
  nonce: string;
  isHttps: boolean;
  /** Next's development tools evaluate code, inject styles and hold a socket. */
  isDevelopment: boolean;
  /** Shows a workspace's data, so no cache may keep it. */
  isPrivate: boolean;
};

export function securityHeaders(page: Page): Record<string, string> {
  return {
    "Content-Security-Policy": contentSecurityPolicy(page),
    ...browserHeaders(page.isHttps),
    ...(page.isPrivate ? { "Cache-Control": "private, no-store" } : {}),
  };
}

/** Headers for a minimal page that loads and runs nothing. */
export function closedPageHeaders(isHttps: boolean): Record<string, string> {
  return {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ...browserHeaders(isHttps),
  };
}

const browserHeaders = (isHttps: boolean): Record<string, string> => ({
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Content-Type-Options": "nosniff",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
  ...(isHttps ? { "Strict-Transport-Security": "max-age=63072000; includeSubDomains" } : {}),
});

const contentSecurityPolicy = ({ nonce, isHttps, isDevelopment }: Omit<Page, "isPrivate">): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self'${isDevelopment ? " 'unsafe-inline'" : ""}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(isHttps ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
