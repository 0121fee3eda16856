/**
 * Returns whether the Origin header shows that one of our pages made this request. Host and
 * X-Forwarded-Host are set by the caller, so only the configured URL counts.
 */
export function isFromOwnPage(headers: Headers, appUrl: string): boolean {
  return headers.has("origin") && !isFromForeignPage(headers, appUrl);
}

/** Returns whether the headers show a page of another origin. Programs send neither header. */
export function isFromForeignPage(headers: Headers, appUrl: string): boolean {
  return (
    (headers.get("origin") ?? appUrl) !== appUrl ||
    ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "")
  );
}
