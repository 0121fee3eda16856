import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { docsPage } from "./docs-page";
import { TWINNED_PAGES, twinOf } from "./docs-pages";
import { docsSource } from "./docs-source";
import { filledText } from "./live-parts";

/** A page of the docs as Markdown, as a reader without an account gets it. */
export function twin(path: string): string {
  const page = docsPage(path);
  if (!page) throw new AppError("NOT_FOUND", "There is no such page in the docs. /llms.txt lists them all.");
  return asFile(page.markdown);
}

/** The API on one page, for programs that write calls (llmstxt.org). */
export function llmsText(): string {
  return asFile(docsSource("/docs/llms").markdown);
}

const asFile = (markdown: string): string => `${withWholeLinks(filledText(markdown, null), env().APP_URL).trimEnd()}\n`;

/** Makes the links of a text whole addresses below `origin`; within the docs they lead to Markdown. */
export function withWholeLinks(markdown: string, origin: string): string {
  return markdown.replace(
    /\]\((\/[^)\s#]*)/g,
    (_, path: string) => `](${origin}${TWINNED_PAGES.includes(path) ? twinOf(path) : path}`,
  );
}
