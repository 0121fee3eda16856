import { ERROR_CATALOGUE, ERROR_CODES } from "@/lib/reference/error-catalogue";
import { DOCS_PAGES, MACHINE_FILES } from "./docs-pages";
import { twinOf } from "./markdown-twins";

type Limits = { perAddress: number; perKey: number };

/** The API on one page, for programs that write calls (llmstxt.org). */
export const llmsText = (origin: string, { perAddress, perKey }: Limits): string => `# Switchboard messaging API

> Send WhatsApp messages through a line of your workspace, read what became of them, list the templates. Three
> endpoints under ${origin}/api/v1/public, JSON in and out.

Authenticate with the headers \`apiKey\` and \`apiSecret\` (or \`X-API-Key\` and \`X-API-Secret\`). No Authorization header.
Give every send an \`Idempotency-Key\`: a retry with the same key and body never sends twice. After a time-out, a 500, a
502 or a 503 repeat with the same key. Keys that begin with \`pk_test_\` reach nobody and cost nothing.
At most ${perAddress} calls from one address and ${perKey} with one key in 15 minutes, status look-ups included; a 429 has
\`Retry-After\` in seconds. Ask for a status after 5 s, 15 s, 60 s, 5 min and 30 min; READ may never come.

## Endpoints

- POST /messages/send: \`{"type":"text","phone":"447700900003","content":"Hi"}\`; type \`template\` takes \`templateName\`,
  \`templateLanguage\` and \`templateVariables\`; type \`interactive\` takes its payload as JSON text in \`content\`.
- GET /messages/{id}: PENDING, UNKNOWN, SENT, DELIVERED, READ or FAILED with \`failureReason\`.
- GET /templates: approved templates; \`variables\` lists the keys that a send fills, and with \`fillWith\` what only
  \`templateComponents\` can.

## Docs

Each page is Markdown at these addresses, and HTML without the \`.md\`.

${DOCS_PAGES.map(([path, title, words]) => `- [${title}](${origin}${twinOf(path)}): ${words}`).join("\n")}
${MACHINE_FILES.map(([path, title, words]) => `- [${title}](${origin}${path}): ${words}`).join("\n")}

## Errors

${ERROR_CODES.map((code) => `- [${code}](${origin}${twinOf(`/docs/errors/${code}`)}): ${ERROR_CATALOGUE[code].title}`).join("\n")}
`;
