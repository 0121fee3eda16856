import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { DOCS_PAGES, docsSource, TWINNED_PAGES, twinOf } from "./docs-pages";
import { ERROR_CATALOGUE, isErrorCode } from "./error-catalogue";
import { errorMarkdown, platformErrorMarkdown } from "./error-pages";
import { filledText } from "./live-parts";
import { explainPlatformCode } from "./platform-errors";

/** Title and description are for the HTML head; an error's title is its code. Live parts are not filled yet. */
export type DocsPage = { title: string; description: string; markdown: string };

/** Returns a docs page by its path; undefined if there is none. */
export function docsPage(path: string): DocsPage | undefined {
  if (path === "/docs" || DOCS_PAGES.includes(path)) {
    const { title, lead, markdown } = docsSource(path);
    return { title, description: lead.replaceAll("`", ""), markdown };
  }
  const [, code = ""] = /^\/docs\/errors\/(\w+)$/.exec(path) ?? [];
  if (isErrorCode(code)) {
    return { title: code, description: ERROR_CATALOGUE[code].title, markdown: errorMarkdown(code) };
  }
  const [, number] = /^\/docs\/errors\/platform\/(\d{1,9})$/.exec(path) ?? [];
  const error = number === undefined ? undefined : explainPlatformCode(Number(number));
  return (
    error && {
      title: `${error.code} ${error.title}`,
      description: error.why,
      markdown: platformErrorMarkdown(error),
    }
  );
}

/** Returns a docs page as Markdown, for a reader without an account. */
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

/** Makes links absolute below `origin`; links to docs pages point to their Markdown. */
export function withWholeLinks(markdown: string, origin: string): string {
  return markdown.replace(
    /\]\((\/[^)\s#]*)/g,
    (_, path: string) => `](${origin}${TWINNED_PAGES.includes(path) ? twinOf(path) : path}`,
  );
}
