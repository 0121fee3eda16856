/** The pages of the docs, in the order in which they are read. */
export const DOCS_PAGES = [
  [
    "/docs/quickstart",
    "Quickstart",
    "From nothing to the first 201 in curl, Node and Python, and from there to a real line.",
  ],
  [
    "/docs/reference",
    "API reference",
    "The three endpoints: every field, header and answer, with idempotency and the limits.",
  ],
  [
    "/docs/templates",
    "Templates",
    "The keys that a template takes, the three ways to fill it, and the platform’s rules.",
  ],
  ["/docs/testing", "Test mode", "Keys that reach nobody, and test numbers that play every ending."],
  ["/docs/polling", "Statuses and polling", "What each status means, and a schedule of look-ups that fits the limits."],
  ["/docs/errors", "Errors", "Every code that the API and the platform answer with, its causes and the fix."],
  [
    "/docs/operator/webhooks",
    "Webhooks",
    "For whoever runs this gateway: how the platform reaches it, and what a refusal means.",
  ],
  ["/docs/changelog", "Changelog", "What changed, whom it concerns, and what to do about it."],
] as const;

export type DocsPath = (typeof DOCS_PAGES)[number][0];

/** For programs: outside the API, which stays three endpoints. */
export const MACHINE_FILES = [
  [
    "/docs/client.ts",
    "client.ts",
    "A TypeScript client in one file without dependencies: retries, waiting, typed errors.",
  ],
  ["/openapi.json", "openapi.json", "The API as OpenAPI 3.1, from the schemas that read its requests."],
  [
    "/docs/postman.json",
    "postman.json",
    "The calls as a Postman collection: import it and set your key as its variables.",
  ],
  [
    "/docs/bruno.zip",
    "bruno.zip",
    "The same calls as a Bruno collection: open the folder and set your key in its environment.",
  ],
  ["/llms.txt", "llms.txt", "The API on one page, for programs that write calls."],
  ["/docs/changelog.xml", "changelog.xml", "The changelog as an Atom feed."],
] as const;

/** Title and description of a page, as its head and its first lines say them. */
export const docsPage = (path: DocsPath): { title: string; description: string } => {
  const [, title, description] = DOCS_PAGES.find(([href]) => href === path) ?? [path, "Docs", ""];
  return { title, description };
};
