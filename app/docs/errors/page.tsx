import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { ERROR_CATALOGUE, ERROR_CODES, statusesOf } from "@/lib/docs/error-catalogue";
import { explainPlatformCode, PLATFORM_CODES } from "@/lib/docs/platform-errors";
import { RetryChip } from "./retry-chip";

export const metadata: Metadata = { title: "Errors" };

export default function ErrorsPage() {
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink href="/docs">Docs</TextLink>
      </p>
      <PageHeading title="Errors">Every code that the API answers with, each with its causes and the fix.</PageHeading>
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
      <section aria-labelledby="platform" className="mt-10">
        <h2 id="platform" className="text-lg font-semibold">
          Codes of the platform
        </h2>
        <p className="mt-1 mb-4 max-w-prose text-muted">
          A refusal of the platform keeps the platform’s own code, in the answer to the send or in what a webhook
          brought later.
        </p>
        <DataTable
          caption="Codes of the platform"
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
      </section>
    </>
  );
}
