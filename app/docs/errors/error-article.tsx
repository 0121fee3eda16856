import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/text-link";

type Props = { title: string /** The code as it is met. */; subtitle: string; children: ReactNode };

/** The page of one code, ours or the platform's. */
export function ErrorArticle({ title, subtitle, children }: Props) {
  return (
    <article>
      <nav aria-label="Above this page" className="mb-4 text-sm text-muted">
        <TextLink href="/docs/errors">Errors</TextLink>
      </nav>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-2 font-mono text-sm break-words text-muted">{subtitle}</p>
      <div className="mt-8 grid gap-8">{children}</div>
    </article>
  );
}

export function Part({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <section className="max-w-prose">
      <h2 className="mb-2 text-lg font-semibold">{heading}</h2>
      {children}
    </section>
  );
}
