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
/** Of every version of the clients. `proxy.ts` takes them as it takes pages: a version that is not there is answered with one. */
const PACKAGE = /^\/docs\/switchboard[-_]client-[\w.-]+\.(?:tgz|whl)$/;

/**
 * Whether a path outside /api is a file or a route that is only read: it takes no server action. `proxy.ts` skips the
 * same paths, in a matcher that Next reads as it is written.
 */
export function isPublicFile(pathname: string): boolean {
  const path = pathname.replace(/\/+$/, "");
  return FILES.has(path) || FOLDERS.test(pathname) || MARKDOWN.test(path) || PACKAGE.test(path);
}

/** The methods of a path outside /api. Pages are read, and their server actions are posted to them. */
export function methodsOf(pathname: string): string[] {
  return isPublicFile(pathname) ? ["GET", "HEAD"] : ["GET", "HEAD", "POST"];
}
