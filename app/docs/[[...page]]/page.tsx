import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { socialCard } from "@/app/_components/social-card";
import { env } from "@/lib/core/env";
import { docsPage } from "@/lib/docs/docs-page";
import { markdownPath } from "@/lib/docs/docs-pages";
import { INTERACTIVE_KINDS } from "@/lib/docs/interactive-kinds";
import { openApiDocument } from "@/lib/docs/openapi";
import { filledText, showsCalls } from "@/lib/docs/placeholders";
import { readReference } from "@/lib/docs/reference";
import { MarkdownArticle } from "../_components/markdown-article";
import { MessagePicture } from "../_components/message-picture";
import { type DocsReader, docsReader, STRANGER, TryIt } from "../_components/try-it";

type Props = PageProps<"/docs/[[...page]]">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const path = await pathOf(params);
  const page = docsPage(path);
  if (!page) return { title: "Page not found" };
  const { title, description } = page;
  return {
    title,
    description,
    alternates: { canonical: `${env().APP_URL}${path}`, types: { "text/markdown": markdownPath(path) } },
    ...socialCard({ title, description, path }),
  };
}

export default async function DocsPage({ params }: Props) {
  const path = await pathOf(params);
  const page = docsPage(path);
  if (!page) notFound();
  const { reader, apiKey } = showsCalls(page.markdown) ? await docsReader() : STRANGER;
  const isError = path.startsWith("/docs/errors/");
  return (
    <>
      {isError ? (
        <nav aria-label="Above this page" className="mb-4 text-sm text-muted">
          <TextLink href="/docs/errors">Errors</TextLink>
        </nav>
      ) : null}
      <MarkdownArticle
        markdown={filledText(page.markdown, apiKey)}
        asides={path === REFERENCE ? trialsFor(reader) : path === INTERACTIVE ? PICTURES : {}}
      />
    </>
  );
}

const REFERENCE = "/docs/reference";
const INTERACTIVE = "/docs/interactive";

const PICTURES = Object.fromEntries(
  INTERACTIVE_KINDS.map(({ id, full }) => [id, <MessagePicture key={id} interactive={full} />]),
);

/** "Try it" below the first example of each endpoint. */
function trialsFor(reader: DocsReader["reader"]): Record<string, ReactNode> {
  const { operations, headers } = readReference(openApiDocument(env().APP_URL));
  return Object.fromEntries(
    operations.map((operation) => [
      operation.id,
      <TryIt key={operation.id} operation={operation} headers={headers} reader={reader} />,
    ]),
  );
}

const pathOf = async (params: Props["params"]): Promise<string> => ["/docs", ...((await params).page ?? [])].join("/");
