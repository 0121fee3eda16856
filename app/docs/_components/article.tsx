import type { ReactNode } from "react";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { type DocsPath, docsPage } from "@/lib/docs/docs-pages";

type Props = {
  page: DocsPath;
  /** The headings of a long page: anchor and words. */
  contents?: readonly (readonly [string, string])[];
  children: ReactNode;
};

/** A page of the docs under the title and the line by which the others know it. */
export function Article({ page, contents = [], children }: Props) {
  const { title, description } = docsPage(page);
  return (
    <article className="grid grid-cols-1 gap-10">
      <header>
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-2 max-w-prose text-lg text-pretty text-muted">
          <InlineCode text={description} />
        </p>
        {contents.length > 0 ? (
          <ul aria-label="On this page" className="mt-4 flex flex-wrap gap-x-4 gap-y-1">
            {contents.map(([id, words]) => (
              <li key={id}>
                <TextLink href={`#${id}`} className="inline-block py-0.5">
                  {words}
                </TextLink>
              </li>
            ))}
          </ul>
        ) : null}
      </header>
      {children}
    </article>
  );
}
