import { readFileSync } from "node:fs";
import { VERSION } from "@/clients/typescript/src/version";
import { ERROR_CODES } from "./error-catalogue";
import { PLATFORM_CODES } from "./platform-errors";

// `npm run clients:release` packs both clients into `public/docs`, where the files of every version stay: a lock file of a
// partner names one, with its digest. pip reads name and version from the name of a wheel.
export const NPM_FILE = `switchboard-client-${VERSION}.tgz`;
export const WHEEL_FILE = `switchboard_client-${VERSION}-py3-none-any.whl`;

/** The pages of the navigation in groups, in reading order. The text of each is its file in `lib/docs/pages`. */
export const DOCS_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ["/docs/quickstart", "/docs/testing"],
  Send: ["/docs/reference", "/docs/templates", "/docs/interactive"],
  Follow: ["/docs/polling", "/docs/webhooks", "/docs/errors"],
  Control: ["/docs/key-limits", "/docs/costs"],
  Operate: ["/docs/operator/webhooks", "/docs/changelog"],
};

export const DOCS_PAGES: readonly string[] = Object.values(DOCS_GROUPS).flat();

/** Every page of the docs. Each is also served as Markdown, at its address with `.md`. */
export const ALL_DOCS_PAGES: readonly string[] = [
  "/docs",
  ...DOCS_PAGES,
  ...ERROR_CODES.map((code) => `/docs/errors/${code}`),
  ...PLATFORM_CODES.map((code) => `/docs/errors/platform/${code}`),
];

export function markdownPath(page: string): string {
  return `${page}.md`;
}

/** Files for programs: outside the API, which stays three endpoints. */
export const MACHINE_FILES = [
  [
    "/docs/client.ts",
    "client.ts",
    "A TypeScript client in one file without dependencies: retries, waiting, typed errors.",
  ],
  [
    `/docs/${NPM_FILE}`,
    "npm package",
    "The same client as a package with a command line. Run `npm install` with this URL.",
  ],
  [
    `/docs/${WHEEL_FILE}`,
    "Python client",
    "The same client for Python 3.9 or newer, without dependencies. Run `pip install` with this URL.",
  ],
  ["/openapi.json", "openapi.json", "The API as OpenAPI 3.1, generated from the schemas that validate requests."],
  ["/llms.txt", "llms.txt", "The API on one page, for programs that write calls."],
] as const;

/** The Markdown file of a page, which next.config.mjs takes into every build, with the title and lead it begins with. */
export function docsSource(page: string): { title: string; lead: string; markdown: string } {
  const markdown = readFileSync(`lib/docs/pages/${page.slice("/docs/".length) || "index"}.md`, "utf8");
  const [, title = "", lead = ""] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(markdown) ?? [];
  return { title, lead: lead.replaceAll("\n", " "), markdown };
}

/** The pages of the docs, which are all that search engines should index (sitemaps.org). */
export function sitemap(origin: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${ALL_DOCS_PAGES.map((path) => `  <url><loc>${escaped(`${origin}${path}`)}</loc></url>`).join("\n")}
</urlset>
`;
}

const PRIVATE = [
  "/api/",
  "/dashboard",
  "/invite/",
  "/reset-password",
  "/set-up",
  "/sign-in",
  "/sign-up",
  "/workspaces/",
];

/** Returns robots.txt (RFC 9309). It only saves crawlers requests: each page checks access itself. */
export function robotsText(origin: string): string {
  return `User-agent: *\n${PRIVATE.map((path) => `Disallow: ${path}\n`).join("")}\nSitemap: ${origin}/sitemap.xml\n`;
}

const escaped = (address: string): string => address.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
