import type { Metadata } from "next";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { docsMetadata } from "@/lib/docs/docs-metadata";
import { env } from "@/lib/process/env";
import { openApiDocument } from "@/lib/reference/openapi";
import { readReference } from "@/lib/reference/reference";
import { Article } from "../_components/article";
import { FieldList } from "../_components/field-list";
import { Section } from "../_components/section";
import { Idempotency, Limits, LineIds } from "./conventions";
import { Operation } from "./operation";

const PAGE = "/docs/reference";

export const metadata: Metadata = docsMetadata(PAGE);

export default function ReferencePage() {
  const { APP_URL } = env();
  const { operations, headers, error } = readReference(openApiDocument(APP_URL));
  const contents = [
    ["credentials", "Credentials"] as const,
    ...operations.map(({ id, summary }) => [id, summary] as const),
    ...OTHERS,
  ];
  return (
    <Article page={PAGE} contents={contents}>
      <Section id="credentials" title="Credentials">
        <p>
          <InlineCode text="Every request carries `apiKey` (`pk_…`) and `apiSecret` (`sk_…`) as headers; `X-API-Key` and `X-API-Secret` are the same. There is no `Authorization` header. A key reaches its own workspace and mode only." />
        </p>
        <p>
          Calls that run as they are pasted: <TextLink href="/docs/quickstart">Quickstart</TextLink>. The same as a
          document for programs:{" "}
          <a href="/openapi.json" className="rounded-sm text-link underline underline-offset-2">
            openapi.json
          </a>
          .
        </p>
      </Section>
      {operations.map((operation) => (
        <Operation key={operation.id} operation={operation} root="/api/v1/public" />
      ))}
      <Idempotency />
      <Limits />
      <Section id="response-headers" title="Response headers">
        <DataTable
          caption="Response headers"
          rows={headers}
          rowKey={({ name }) => name}
          columns={[
            { heading: "Header", cell: ({ name }) => <code className="font-mono text-sm break-all">{name}</code> },
            { heading: "Says", cell: ({ description }) => <InlineCode text={description} /> },
            { heading: "On", cell: ({ isEverywhere }) => (isEverywhere ? "every answer" : "some") },
          ]}
        />
      </Section>
      <LineIds />
      <Section id="errors" title="Errors">
        <p>
          Every answer with a status of 400 or more has this body. <TextLink href="/docs/errors">All codes</TextLink>
        </p>
        <FieldList label="An error" fields={error} isAnswer />
      </Section>
    </Article>
  );
}

const OTHERS = [
  ["idempotency", "Idempotency"],
  ["limits", "Limits"],
  ["response-headers", "Response headers"],
  ["line-ids", "Line ids"],
  ["errors", "Errors"],
] as const;
