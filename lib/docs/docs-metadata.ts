import { type DocsPath, docsPage } from "./docs-pages";
import { twinOf } from "./markdown-twins";

/** For the head of a page: the same page as Markdown, and the feed that all of them name. */
export const docsAlternates = (page: string) => ({
  types: { "text/markdown": twinOf(page), "application/atom+xml": "/docs/changelog.xml" },
});

export const docsMetadata = (page: DocsPath) => ({ ...docsPage(page), alternates: docsAlternates(page) });
