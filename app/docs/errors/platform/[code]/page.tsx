import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { InlineCode } from "@/app/_components/inline-code";
import { RetryChip } from "@/app/_components/retry-chip";
import { TextLink } from "@/app/_components/text-link";
import { docsAlternates } from "@/lib/docs/docs-metadata";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import { ErrorArticle, Part } from "../../error-article";

type Props = PageProps<"/docs/errors/platform/[code]">;

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => {
  const page = explain((await params).code);
  if (!page) return { title: "Page not found" };
  const alternates = docsAlternates(`/docs/errors/platform/${page.code}`);
  return { title: `${page.code} ${page.title}`, description: page.why, alternates };
};

export default async function PlatformCodePage({ params }: Props) {
  const page = explain((await params).code);
  if (!page) notFound();
  return (
    <ErrorArticle title={page.title} subtitle={`Platform code ${page.code}`}>
      <Part heading="Why">
        <p>
          <InlineCode text={page.why} />
        </p>
      </Part>
      <Part heading="What you can do when you call the API">
        <p>
          <InlineCode text={page.partner} />
        </p>
      </Part>
      <Part heading="What the owner of the line can do">
        <p>
          <InlineCode text={page.owner} />
        </p>
      </Part>
      <Part heading="Should I retry?">
        <span className="flex flex-wrap items-center gap-2">
          <RetryChip advice={page.retry.advice} />
          {page.retry.text}
        </span>
      </Part>
      <Part heading="Where it shows">
        <p>
          <InlineCode text="An answer of the API holds it as `details.platform.code` beside `CHAT_GRAPH_ERROR`. Where a webhook brought it, the message is `FAILED` and its `failureReason` begins with it." />{" "}
          <TextLink href="/docs/errors/CHAT_GRAPH_ERROR">More about CHAT_GRAPH_ERROR</TextLink>.
        </p>
      </Part>
    </ErrorArticle>
  );
}

const explain = (code: string) => (/^\d{1,9}$/.test(code) ? explainPlatformCode(Number(code)) : undefined);
