import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import { RetryChip } from "../../retry-chip";

type Props = PageProps<"/docs/errors/platform/[code]">;

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => {
  const page = explain((await params).code);
  return page ? { title: `${page.code} ${page.title}`, description: page.why } : { title: "Page not found" };
};

export default async function PlatformCodePage({ params }: Props) {
  const page = explain((await params).code);
  if (!page) notFound();
  return (
    <article className="max-w-[46rem]">
      <p className="mb-4 flex gap-2 text-sm text-muted">
        <TextLink href="/docs">Docs</TextLink>
        <span aria-hidden="true">/</span>
        <TextLink href="/docs/errors">Errors</TextLink>
      </p>
      <h1 className="text-2xl font-semibold tracking-tight">{page.title}</h1>
      <p className="mt-2 font-mono text-sm break-words text-muted">Platform code {page.code}</p>
      <div className="mt-8 grid gap-8">
        <Part heading="Why">
          <InlineCode text={page.why} />
        </Part>
        <Part heading="What you can do, who calls the API">
          <InlineCode text={page.partner} />
        </Part>
        <Part heading="What the owner of the line can do">
          <InlineCode text={page.owner} />
        </Part>
        <Part heading="Should I retry?">
          <span className="flex flex-wrap items-center gap-2">
            <RetryChip advice={page.retry.advice} />
            {page.retry.text}
          </span>
        </Part>
        <Part heading="Where it shows">
          <InlineCode text="An answer of the API holds it as `details.platform.code` beside `CHAT_GRAPH_ERROR`. Where a webhook brought it, the message is `FAILED` and its `failureReason` begins with it." />{" "}
          <TextLink href="/docs/errors/CHAT_GRAPH_ERROR">More about CHAT_GRAPH_ERROR</TextLink>.
        </Part>
      </div>
    </article>
  );
}

function Part({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 text-lg font-semibold">{heading}</h2>
      <p>{children}</p>
    </section>
  );
}

const explain = (code: string) => (/^\d{1,9}$/.test(code) ? explainPlatformCode(Number(code)) : undefined);
