import { DOCS_PAGES } from "./docs-pages";
import { docsSource } from "./docs-source";
import { ERROR_CATALOGUE, isErrorCode } from "./error-catalogue";
import { errorMarkdown, platformErrorMarkdown } from "./error-pages";
import { explainPlatformCode } from "./platform-errors";

/** Title and description are for the head, where an error is known by its code. The live parts are still to be filled. */
export type DocsPage = { title: string; description: string; markdown: string };

/** A page of the docs by its path; undefined where there is none. */
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
