import { MESSAGE_EXAMPLE } from "@/lib/api/message-resource";
import { ERROR_STATUS } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/text";
import { EVENT_HINTS, EVENT_TYPES, type EventType } from "@/lib/outgoing/events/event-types";
import { EVENTS } from "@/lib/outgoing/events/events";
import { RETRY_AFTER_SECONDS } from "@/lib/outgoing/outcome";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { GATEWAY_NUMBERS } from "@/lib/sandbox/gateway-numbers";
import { MAX_PARAMETER_CHARACTERS } from "@/lib/templates/lengths";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { WEBHOOK_FIELDS } from "@/lib/whatsapp/webhook-events";
import { ALERT_KINDS } from "@/lib/workspaces/alert-kinds";
import { type ShownCall, shownCalls } from "./calls";
import { DOCS_PAGES, docsSource, MACHINE_FILES, NPM_FILE, WHEEL_FILE } from "./docs-pages";
import { ADVICE, ERROR_CATALOGUE, ERROR_CODES, statusesOf } from "./error-catalogue";
import { INTERACTIVE_KINDS } from "./interactive-kinds";
import { interactiveMarkdown } from "./interactive-markdown";
import { jsonText } from "./literals";
import { blocks, bullets, codeBlock, codeTabs, table, terms } from "./markdown";
import { openApiDocument } from "./openapi";
import { explainPlatformCode, PLATFORM_CODES } from "./platform-errors";
import { readReference } from "./reference";
import { operationMarkdown, responseFields } from "./reference-markdown";
import { type ApiCall, snippetsOf } from "./snippets";
import { recipientRows } from "./test-recipients";
import { WHO_ACTS } from "./who-acts";

/** What differs between deployments and between readers. */
export type Reader = {
  origin: string;
  /** The id of their newest test key, where they may see it. */
  apiKey: string | null;
  /** Requests in 15 minutes. */
  perAddress: number;
  perKey: number;
};

export function readerWith(apiKey: string | null): Reader {
  const { APP_URL: origin, PUBLIC_API_IP_RATE_LIMIT: perAddress, PUBLIC_API_KEY_RATE_LIMIT: perKey } = env();
  return { origin, apiKey, perAddress, perKey };
}

/** Whether the text of a page differs with the reader's key. */
export function showsCalls(markdown: string): boolean {
  return /\[\[(?:call |template-calls |operations)/.test(markdown);
}

const texts = new Map<string, string>();

/** Returns a page's full text. Without a key it is the same for every reader, so it is cached. */
export function filledText(markdown: string, apiKey: string | null): string {
  if (apiKey !== null) return fillPlaceholders(markdown, readerWith(apiKey));
  const text = texts.get(markdown) ?? fillPlaceholders(markdown, readerWith(null));
  texts.set(markdown, text);
  return text;
}

/** Fills the placeholders `[[name argument]]` of a page; an empty one leaves no blank lines. */
export function fillPlaceholders(markdown: string, reader: Reader): string {
  return markdown.replace(/\[\[([a-z-]+)(?: (.+?))?\]\](\n\n)?/g, (place, name: string, argument = "", gap = "") => {
    const part = PLACEHOLDERS[name];
    if (!part) throw new Error(`no live part ${place}`);
    const text = part(reader, argument);
    return text === "" ? "" : `${text}${gap}`;
  });
}

const PLACEHOLDERS: Record<string, (reader: Reader, argument: string) => string> = {
  origin: ({ origin }) => origin,
  "api-key": ({ apiKey }) => apiKey ?? "pk_test_…",
  "npm-client": ({ origin }) => `${origin}/docs/${NPM_FILE}`,
  "python-client": ({ origin }) => `${origin}/docs/${WHEEL_FILE}`,
  "own-key": ({ apiKey }) =>
    apiKey === null
      ? ""
      : `You are signed in: the calls here carry \`${apiKey}\`, the newest test key of your workspace.
Its secret is read from your environment.`,

  call: (reader, name) => calls(reader, (one) => one.name === name),
  "template-calls": (reader, form) => calls(reader, (one) => one.form === form),
  "interactive-kinds": () => blocks(...INTERACTIVE_KINDS.map(interactiveMarkdown)),
  "alert-kinds": () => ALERT_KINDS.map((kind) => `\`${kind}\``).join(", "),
  event: () => codeBlock("Body", "json", json(EVENTS.message.example)),
  received: () => codeBlock("Body", "json", json(EVENTS.received.example)),
  "event-types": () =>
    table(
      ["Event", "When"],
      EVENT_TYPES.map((type) => [`\`${type}\``, `${EVENT_HINTS[type]}${MORE_OF_EVENTS[type] ?? "."}`]),
    ),
  "retry-times": () => RETRY_AFTER_SECONDS.map(durationWords).join(", "),
  "send-answer": () =>
    codeBlock("Response", "http", `HTTP/1.1 201 Created\n\n${json({ success: true, data: MESSAGE_EXAMPLE })}`),

  "address-limit": ({ perAddress }) => `${perAddress}`,
  "key-limit": ({ perKey }) => `${perKey}`,
  "tighter-limit": ({ perAddress, perKey }) =>
    perAddress < perKey
      ? "A single server reaches the limit of its address first."
      : "The limit of the key is reached first.",
  budget: (reader) => `${budgetOf(reader)}`,
  "budget-table": (reader) =>
    table(
      ["Status requests per send", "Sends", "Status requests"],
      [0, 1, 2, POLLS_PER_WINDOW].map((pollsPerSend) => {
        const sends = Math.floor(budgetOf(reader) / (1 + pollsPerSend));
        return [pollsPerSend, sends, sends * pollsPerSend];
      }),
    ),
  "poll-times": () => POLL_AT_SECONDS.map(durationWords).join(", "),

  "max-value": () => `${MAX_PARAMETER_CHARACTERS}`,
  "max-text": () => formatNumber(MAX_CHARACTERS.text),
  "max-body": () => formatNumber(MAX_CHARACTERS.body),
  "max-card-body": () => `${MAX_CHARACTERS.cardBody}`,
  "webhook-fields": () => WEBHOOK_FIELDS.map((field) => `\`${field}\``).join(", "),

  "test-numbers": () =>
    table(
      ["Recipient", "Response", "WhatsApp code", "What follows"],
      recipientRows().map(({ phone, httpStatus, isUnknown, platformCode, follows }) => [
        `\`${phone}\``,
        `\`${httpStatus}\`${isUnknown ? ", unknown" : ""}`,
        linkToCode(platformCode),
        follows,
      ]),
    ),
  "gateway-numbers": () =>
    table(
      ["Recipient", "Response", "Error", "Simulates"],
      GATEWAY_NUMBERS.map(({ phone, code, says }) => [`\`${phone}\``, `\`${ERROR_STATUS[code]}\``, linkTo(code), says]),
    ),
  "demo-templates": () =>
    table(
      ["Name", "Language", "Category", "A send returns"],
      FIXTURE_TEMPLATES.map(({ name, language, category, status }) => [
        `\`${name}\``,
        `\`${language}\``,
        category.toLowerCase(),
        status === "APPROVED" ? "`201`" : `\`400\` ${linkTo("TEMPLATE_NOT_APPROVED")}: ${status.toLowerCase()}`,
      ]),
    ),

  operations: (reader) =>
    blocks(...reference(reader.origin).operations.map((operation) => operationMarkdown(operation, reader))),
  "response-headers": ({ origin }) =>
    table(
      ["Header", "What it says", "Sent with"],
      reference(origin).headers.map(({ name, description, isEverywhere }) => [
        `\`${name}\``,
        description,
        isEverywhere ? "every response" : "some",
      ]),
    ),
  "error-fields": ({ origin }) => responseFields(reference(origin).error),

  "error-codes": (_, who) =>
    table(
      ["Code", "HTTP status", "What happened", "Retry?"],
      ERROR_CODES.filter((code) => (code === "CHAT_GRAPH_ERROR" ? who === "whatsapp" : WHO_ACTS[code] === who)).map(
        (code) => {
          const { title, retry } = ERROR_CATALOGUE[code];
          return [linkTo(code), statusesOf(code).join(" or "), title, ADVICE[retry.advice]];
        },
      ),
    ),
  "whatsapp-codes": (_, who) =>
    table(
      ["Code", "What happened", "Retry?"],
      PLATFORM_CODES.flatMap((code) => explainPlatformCode(code) ?? [])
        .filter((page) => page.who === who)
        .map(({ code, title, retry }) => [linkToCode(code), title, ADVICE[retry.advice]]),
    ),

  pages: () =>
    terms(
      DOCS_PAGES.map((page) => {
        const { title, lead } = docsSource(page);
        return [`[${title}](${page}) {#${page.slice("/docs/".length).replace("/", "-")}}`, lead] as const;
      }),
    ),
  "page-links": () =>
    bullets(DOCS_PAGES.map((page) => `[${docsSource(page).title}](${page}): ${docsSource(page).lead}`)),
  "file-links": () => bullets(MACHINE_FILES.map(([path, name, words]) => `[${name}](${path}): ${words}`)),
  "error-links": () =>
    bullets(ERROR_CODES.map((code) => `[${code}](/docs/errors/${code}): ${ERROR_CATALOGUE[code].title}`)),
  "machine-files": () => terms(MACHINE_FILES.map(([path, name, words]) => [`[${name}](${path})`, words])),
};

const calls = (reader: Reader, isShown: (call: ShownCall) => boolean): string =>
  blocks(
    ...shownCalls(reader.origin)
      .filter(isShown)
      .map(({ label, call }) => codeTabs(label, withoutClient(call, reader))),
  );

/** Returns the call in every language, without the clients. */
function withoutClient(call: ApiCall, reader: Reader) {
  const { curl, node, python } = snippetsOf(call, reader);
  const body = call.body === undefined ? [] : [["json", jsonText(call.body)] as const];
  return [["sh", curl], ["js", node], ["python", python], ...body] as const;
}

/** When to ask for a message's status, in seconds after its send. */
export const POLL_AT_SECONDS = [5, 15, 60, 300, 1_800] as const;

const WINDOW_SECONDS = 15 * 60;

/** Status calls for a message within a 15-minute window on this schedule. */
const POLLS_PER_WINDOW = POLL_AT_SECONDS.filter((second) => second <= WINDOW_SECONDS).length;

const budgetOf = ({ perAddress, perKey }: Reader): number => Math.min(perAddress, perKey);

const reference = (origin: string) => readReference(openApiDocument(origin));

const linkTo = (code: string): string => `[\`${code}\`](/docs/errors/${code})`;

function linkToCode(code: number | null): string {
  if (code === null) return "–";
  return explainPlatformCode(code) ? `[${code}](/docs/errors/platform/${code})` : `${code}`;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** What readers learn beyond when an event happens. */
const MORE_OF_EVENTS: Partial<Record<EventType, string>> = {
  "message.failed": "; `failureReason` says why.",
  "message.unknown": ". Another event follows once the outcome is known.",
  "template.rejected": "; `rejectedReason` says why.",
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A duration in its largest unit: `30 s`, `10 min`, `4 h`. */
function durationWords(seconds: number): string {
  if (seconds >= HOUR) return `${seconds / HOUR} h`;
  return seconds >= MINUTE ? `${seconds / MINUTE} min` : `${seconds} s`;
}
