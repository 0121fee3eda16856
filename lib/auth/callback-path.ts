export const HOME_PATH = "/dashboard";

/** Returns the path to open after sign-in; always on this host. */
export function callbackPath(wanted: string | undefined, appUrl: string): string {
  if (!wanted || !URL.canParse(wanted, appUrl)) return HOME_PATH;
  const { origin, pathname, search, hash } = new URL(wanted, appUrl);
  // A path that starts with two slashes would lead to another host.
  if (origin !== new URL(appUrl).origin || pathname.startsWith("//")) return HOME_PATH;
  return `${pathname}${search}${hash}`;
}
