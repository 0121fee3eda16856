import { AppError, type ErrorCode } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { GATEWAY_NUMBERS } from "@/lib/sandbox/gateway-numbers";
import { ALL_DOCS_PAGES, DOCS_PAGES, docsSource, markdownPath } from "./docs-pages";
import { ADVICE, ERROR_CATALOGUE, isErrorCode, statusesOf } from "./error-catalogue";
import { blocks, bullets } from "./markdown";
import { filledText } from "./placeholders";
import { explainPlatformCode, type PlatformErrorPage } from "./platform-errors";

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
  if (!error) return undefined;
  return { title: `${error.code} ${error.title}`, description: error.why, markdown: platformErrorMarkdown(error) };
}

/** The page of an error code of the API. */
function errorMarkdown(code: ErrorCode): string {
  const { title, happened, causes, fix, retry } = ERROR_CATALOGUE[code];
  const numbers = GATEWAY_NUMBERS.filter((number) => number.code === code).map(({ phone }) => `\`${phone}\``);
  return blocks(
    `# ${title}`,
    `${statusesOf(code).join(" or ")} · \`${code}\``,
    "## What happened {#happened}",
    happened,
    "## Likely causes {#causes}",
    bullets(causes),
    "## What to do {#fix}",
    bullets(fix),
    "## Should I retry? {#retry}",
    `${ADVICE[retry.advice]} ${retry.text}`,
    ...(numbers.length === 0
      ? []
      : ["## Try it {#try}", `With a \`pk_test_\` key, a send to ${numbers.join(" or ")} returns this error.`]),
  );
}

/** The page of a WhatsApp error code. */
function platformErrorMarkdown({ code, title, why, partner, owner, retry }: PlatformErrorPage): string {
  return blocks(
    `# ${title}`,
    `WhatsApp error code ${code}`,
    "## Why {#why}",
    why,
    "## What API callers can do {#callers}",
    partner,
    "## What the owner of the line can do {#owner}",
    owner,
    "## Should I retry? {#retry}",
    `${ADVICE[retry.advice]} ${retry.text}`,
    "## Where you see it {#where}",
    `A response of the API has it as \`details.platform.code\` beside \`CHAT_GRAPH_ERROR\`. If a webhook reported it, the
message is \`FAILED\` and its \`failureReason\` begins with it.
[More about \`CHAT_GRAPH_ERROR\`](/docs/errors/CHAT_GRAPH_ERROR)`,
  );
}

/** Returns a docs page as Markdown, for a reader without an account. */
export function markdownOf(path: string): string {
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
    (_, path: string) => `](${origin}${ALL_DOCS_PAGES.includes(path) ? markdownPath(path) : path}`,
  );
}
