import type { ErrorCode } from "@/lib/core/app-error";
import { GATEWAY_NUMBERS } from "@/lib/sandbox/gateway-numbers";
import { ERROR_CATALOGUE, type ErrorPage, statusesOf } from "./error-catalogue";
import { blocks, bullets } from "./markdown";
import type { PlatformErrorPage } from "./platform-errors";

/** The advice, emphasized, which pages render as a chip. */
export const ADVICE: Record<ErrorPage["retry"]["advice"], string> = {
  yes: "*Yes*",
  no: "*No*",
  sometimes: "*It depends*",
};

/** The page of an error code of the API. */
export function errorMarkdown(code: ErrorCode): string {
  const { title, happened, causes, fix, retry } = ERROR_CATALOGUE[code];
  const numbers = GATEWAY_NUMBERS.filter((number) => number.code === code).map(({ phone }) => `\`${phone}\``);
  return blocks(
    `# ${title}`,
    `${statusesOf(code)} · \`${code}\``,
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
export function platformErrorMarkdown({ code, title, why, partner, owner, retry }: PlatformErrorPage): string {
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
