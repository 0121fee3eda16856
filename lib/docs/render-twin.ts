import { AppError } from "@/lib/errors/app-error";
import { env } from "@/lib/process/env";
import { ownOrigin } from "@/lib/process/front-door";
import { processWide } from "@/lib/process/process-wide";
import { TWINNED_PAGES } from "./markdown-twins";
import { pageMarkdown } from "./page-markdown";

const TIMEOUT_MS = 10_000;

/** A page of the docs as Markdown, from the page itself as a stranger sees it; it is the same until the next release. */
export const renderTwin = async (page: string): Promise<string> => {
  if (!TWINNED_PAGES.includes(page)) {
    throw new AppError("NOT_FOUND", "There is no such page in the docs. /llms.txt lists them all.");
  }
  const twins = processWide("docsTwins", () => new Map<string, string>());
  const markdown = twins.get(page) ?? pageMarkdown(await readPage(page), env().APP_URL);
  twins.set(page, markdown);
  return markdown;
};

const readPage = async (page: string): Promise<string> => {
  const response = await fetch(`${ownOrigin()}${page}`, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  if (response?.ok) return response.text();
  throw new AppError("SERVICE_UNAVAILABLE", "The page could not be read just now. Try again in a moment.", {
    details: { retryable: true, retryAfterSeconds: 1 },
    headers: { "Retry-After": "1" },
  });
};
