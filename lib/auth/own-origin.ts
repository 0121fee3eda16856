/**
 * Whether a browser says that a page of ours made this request. Without an Origin nothing says so, and Host and
 * X-Forwarded-Host are whatever the caller wrote: only the configured address counts.
 */
export function isFromOwnPage(headers: Headers, appUrl: string): boolean {
  return headers.has("origin") && !isFromForeignPage(headers, appUrl);
}

/** Whether a browser says that a page of another origin made this request. Programs send neither header. */
export function isFromForeignPage(headers: Headers, appUrl: string): boolean {
  return (
    (headers.get("origin") ?? appUrl) !== appUrl ||
    ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "")
  );
}
