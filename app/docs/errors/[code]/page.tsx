import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { ERROR_CATALOGUE, isErrorCode, statusesOf } from "@/lib/docs/error-catalogue";
import { Bullets } from "../../_components/section";
import { RetryChip } from "../retry-chip";

type Props = PageProps<"/docs/errors/[code]">;

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => {
  const { code } = await params;
  return isErrorCode(code) ? { title: code, description: ERROR_CATALOGUE[code].title } : { title: "Page not found" };
};

export default async function ErrorCodePage({ params }: Props) {
  const { code } = await params;
  if (!isErrorCode(code)) notFound();
  const { title, happened, causes, fix, retry } = ERROR_CATALOGUE[code];
  return (
    <article className="max-w-[46rem]">
      <p className="mb-4 flex gap-2 text-sm text-muted">
        <TextLink href="/docs">Docs</TextLink>
        <span aria-hidden="true">/</span>
        <TextLink href="/docs/errors">Errors</TextLink>
      </p>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-2 font-mono text-sm break-words text-muted">
        {statusesOf(code)} · {code}
      </p>
      <div className="mt-8 grid gap-8">
        <Part heading="What happened">
          <p>
            <InlineCode text={happened} />
          </p>
        </Part>
        <Part heading="Likely causes">
          <Sentences sentences={causes} />
        </Part>
        <Part heading="What to do">
          <Sentences sentences={fix} />
        </Part>
        <Part heading="Should I retry?">
          <RetryChip advice={retry.advice} />
          <p className="mt-2">
            <InlineCode text={retry.text} />
          </p>
        </Part>
      </div>
    </article>
  );
}

function Part({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 text-lg font-semibold">{heading}</h2>
      {children}
    </section>
  );
}

function Sentences({ sentences }: { sentences: string[] }) {
  return (
    <Bullets>
      {sentences.map((sentence) => (
        <li key={sentence}>
          <InlineCode text={sentence} />
        </li>
      ))}
    </Bullets>
  );
}
