export const HOME_PATH = "/dashboard";

/** Where to go after signing in: a path of this host, whatever was asked for. */
export function callbackPath(wanted: string | undefined, appUrl: string): string {
  if (!wanted || !URL.canParse(wanted, appUrl)) return HOME_PATH;
  const { origin, pathname, search, hash } = new URL(wanted, appUrl);
  // A path that begins with two slashes would name another host again.
  if (origin !== new URL(appUrl).origin || pathname.startsWith("//")) return HOME_PATH;
  return `${pathname}${search}${hash}`;
}
