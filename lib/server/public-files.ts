const FILES = new Set([
  "/icon.svg",
  "/favicon.ico",
  "/openapi.json",
  "/llms.txt",
  "/docs.md",
  "/docs/client.ts",
  "/docs/search-index.json",
  "/robots.txt",
  "/sitemap.xml",
  "/og.png",
]);
const FOLDERS = /^\/(?:_next|samples|markdown)\//;
const MARKDOWN = /^\/docs\/.*\.md$/;
/** Packages of every client version. `proxy.ts` treats them as pages: a missing version gets the 404 page. */
const PACKAGE = /^\/docs\/switchboard[-_]client-[\w.-]+\.(?:tgz|whl)$/;

/**
 * Returns whether a path outside /api is a read-only file or route without server actions. `proxy.ts` skips the
 * same paths, in a matcher that Next reads statically.
 */
export function isPublicFile(pathname: string): boolean {
  const path = pathname.replace(/\/+$/, "");
  return FILES.has(path) || FOLDERS.test(pathname) || MARKDOWN.test(path) || PACKAGE.test(path);
}

/** The methods of a path outside /api. Pages are read, and their server actions are posted to them. */
export function methodsOf(pathname: string): string[] {
  return isPublicFile(pathname) ? ["GET", "HEAD"] : ["GET", "HEAD", "POST"];
}
