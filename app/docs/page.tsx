import type { Metadata } from "next";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { docsAlternates } from "@/lib/docs/docs-metadata";
import { DOCS_PAGES, type DocsPath, MACHINE_FILES } from "@/lib/docs/docs-pages";
import { Section } from "./_components/section";

export const metadata: Metadata = {
  description: "Send WhatsApp messages, read what became of them, list the templates: guides, reference and errors.",
  alternates: docsAlternates("/docs"),
};

/** Anchors that headings of the one long page had, and that links of others may still name. */
const FORMER_ANCHORS: Partial<Record<DocsPath, string>> = {
  "/docs/quickstart": "quickstart",
  "/docs/testing": "test-mode",
  "/docs/polling": "polling",
  "/docs/errors": "errors",
};

const REFERENCE_TOPICS = [
  ["idempotency", "Idempotency"],
  ["limits", "Limits"],
  ["line-ids", "Line ids"],
] as const;

export default function DocsPage() {
  return (
    <article className="grid grid-cols-1 gap-10">
      <header>
        <h1 className="text-2xl font-semibold tracking-tight">Messaging API</h1>
        <p className="mt-2 max-w-prose text-lg text-muted">
          Your backend sends WhatsApp messages through a line of your workspace, reads what became of them, and lists
          the templates it may use. Three endpoints below <InlineCode text="`/api/v1/public`" />, JSON in and out.
        </p>
      </header>
      <ul className="grid gap-3 sm:grid-cols-2">
        {DOCS_PAGES.map(([href, title, description]) => (
          <li key={href} id={FORMER_ANCHORS[href]} className="rounded-card border border-hairline bg-surface p-4">
            <h2 className="font-semibold">
              <TextLink href={href}>{title}</TextLink>
            </h2>
            <p className="mt-1 text-muted">{description}</p>
            <Topics page={href} />
          </li>
        ))}
      </ul>
      <Section id="machine-files" title="For programs">
        <dl className="grid gap-3">
          {MACHINE_FILES.map(([href, name, description]) => (
            <div key={href} className="grid gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
              <dt>
                <a href={href} className="font-mono text-sm text-link underline underline-offset-2">
                  {name}
                </a>
              </dt>
              <dd className="text-muted">{description}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </article>
  );
}

function Topics({ page }: { page: DocsPath }) {
  const topics =
    page === "/docs/reference" ? REFERENCE_TOPICS : page === "/docs/polling" ? [["statuses", "Statuses"] as const] : [];
  if (topics.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
      {topics.map(([id, words]) => (
        <li key={id} id={id}>
          <TextLink href={`${page}#${id}`}>{words}</TextLink>
        </li>
      ))}
    </ul>
  );
}
