import { readFileSync } from "node:fs";

/** The Markdown file of a page, which next.config.mjs takes into every build, with the title and lead it begins with. */
export function docsSource(page: string): { title: string; lead: string; markdown: string } {
  const markdown = readFileSync(`lib/docs/pages/${page.slice("/docs/".length) || "index"}.md`, "utf8");
  const [, title = "", lead = ""] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(markdown) ?? [];
  return { title, lead: lead.replaceAll("\n", " "), markdown };
}
