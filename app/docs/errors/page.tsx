import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { RetryChip } from "@/app/_components/retry-chip";
import { TextLink } from "@/app/_components/text-link";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { explainPlatformCode, PLATFORM_CODES } from "@/lib/docs/platform-errors";
import { ERROR_CATALOGUE, ERROR_CODES, statusesOf } from "@/lib/reference/error-catalogue";
import { Article } from "../_components/article";
import { Section } from "../_components/section";

const PAGE = "/docs/errors";

export const metadata: Metadata = docsMetadata(PAGE);

export default function ErrorsPage() {
  return (
    <Article page={PAGE}>
      <Section id="codes" title="Codes of the API">
        <DataTable
          caption="Error codes"
          rows={ERROR_CODES}
          rowKey={(code) => code}
          columns={[
            {
              heading: "Code",
              cell: (code) => (
                <TextLink href={`/docs/errors/${code}`} className="font-mono text-sm break-all">
                  {code}
                </TextLink>
              ),
            },
            { heading: "HTTP status", cell: statusesOf },
            { heading: "What happened", cell: (code) => ERROR_CATALOGUE[code].title },
            { heading: "Retry?", cell: (code) => <RetryChip advice={ERROR_CATALOGUE[code].retry.advice} /> },
          ]}
        />
      </Section>
      <Section id="platform" title="WhatsApp error codes">
        <p>
          A refusal of the platform keeps the platform’s own code, in the answer to the send or in what a webhook
          brought later.
        </p>
        <DataTable
          caption="WhatsApp error codes"
          rows={PLATFORM_CODES.flatMap((code) => explainPlatformCode(code) ?? [])}
          rowKey={({ code }) => `${code}`}
          columns={[
            {
              heading: "Code",
              cell: ({ code }) => (
                <TextLink href={`/docs/errors/platform/${code}`} prefetch={false} className="font-mono text-sm">
                  {code}
                </TextLink>
              ),
            },
            { heading: "What happened", cell: ({ title }) => title },
            { heading: "Retry?", cell: ({ retry }) => <RetryChip advice={retry.advice} /> },
          ]}
        />
      </Section>
    </Article>
  );
}
