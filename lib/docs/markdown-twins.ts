import { ERROR_CODES } from "@/lib/reference/error-catalogue";
import { DOCS_PAGES } from "./docs-pages";
import { PLATFORM_CODES } from "./platform-errors";

/** Every page of the docs; each answers as Markdown, too, at its own address with `.md` behind it. */
export const TWINNED_PAGES: readonly string[] = [
  "/docs",
  ...DOCS_PAGES.map(([path]) => path),
  ...ERROR_CODES.map((code) => `/docs/errors/${code}`),
  ...PLATFORM_CODES.map((code) => `/docs/errors/platform/${code}`),
];

export const twinOf = (page: string): string => `${page}.md`;
