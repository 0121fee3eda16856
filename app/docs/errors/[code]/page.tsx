import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { InlineCode } from "@/app/_components/inline-code";
import { RetryChip } from "@/app/_components/retry-chip";
import { docsAlternates } from "@/lib/docs/docs-metadata";
import { ERROR_CATALOGUE, isErrorCode, statusesOf } from "@/lib/reference/error-catalogue";
import { GATEWAY_NUMBERS } from "@/lib/test-mode/gateway-numbers";
import { Bullets } from "../../_components/section";
import { ErrorArticle, Part } from "../error-article";

type Props = PageProps<"/docs/errors/[code]">;

export const generateMetadata = async ({ params }: Props): Promise<Metadata> => {
  const { code } = await params;
  if (!isErrorCode(code)) return { title: "Page not found" };
  const alternates = docsAlternates(`/docs/errors/${code}`);
  return { title: code, description: ERROR_CATALOGUE[code].title, alternates };
};

export default async function ErrorCodePage({ params }: Props) {
  const { code } = await params;
  if (!isErrorCode(code)) notFound();
  const { title, happened, causes, fix, retry } = ERROR_CATALOGUE[code];
  const testNumbers = GATEWAY_NUMBERS.filter((number) => number.code === code);
  return (
    <ErrorArticle title={title} subtitle={`${statusesOf(code)} · ${code}`}>
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
      {testNumbers.length === 0 ? null : (
        <Part heading="Try it">
          <p>
            <InlineCode
              text={`With a \`pk_test_\` key, a send to ${testNumbers.map(({ phone }) => `\`${phone}\``).join(" or ")} is answered with it.`}
            />
          </p>
        </Part>
      )}
    </ErrorArticle>
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
