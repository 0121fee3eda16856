import { TWINNED_PAGES } from "./docs-pages";

/** The pages of the docs, which are all that search engines should index (sitemaps.org). */
export function sitemap(origin: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${TWINNED_PAGES.map((path) => `  <url><loc>${escaped(`${origin}${path}`)}</loc></url>`).join("\n")}
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
