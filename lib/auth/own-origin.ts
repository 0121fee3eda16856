import { env } from "@/lib/core/env";

/**
 * Returns whether the Origin header shows that one of our pages made this request. Host and
 * X-Forwarded-Host are set by the caller, so only the configured URL counts.
 */
export function isFromOwnPage(headers: Pick<Headers, "get">): boolean {
  return headers.get("origin") !== null && !isFromForeignPage(headers);
}

/** Returns whether the headers show a page of another origin. Programs send neither header. */
export function isFromForeignPage(headers: Pick<Headers, "get">): boolean {
  const origin = headers.get("origin") ?? env().APP_URL;
  return origin !== env().APP_URL || ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");
}

export const HOME_PATH = "/dashboard";

/** Returns the path to open after sign-in; always on this host. */
export function callbackPath(wanted: string | undefined, appUrl: string): string {
  if (!wanted || !URL.canParse(wanted, appUrl)) return HOME_PATH;
  const { origin, pathname, search, hash } = new URL(wanted, appUrl);
  // A path that starts with two slashes would lead to another host.
  if (origin !== new URL(appUrl).origin || pathname.startsWith("//")) return HOME_PATH;
  return `${pathname}${search}${hash}`;
}
