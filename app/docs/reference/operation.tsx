import { CodeBlock } from "@/app/_components/code-block";
import { InlineCode } from "@/app/_components/inline-code";
import { TextLink } from "@/app/_components/text-link";
import { ERROR_CATALOGUE, isErrorCode } from "@/lib/reference/error-catalogue";
import type { ReferenceAnswer, ReferenceOperation } from "@/lib/reference/reference";
import { sentenceCase } from "@/lib/text/text";
import { FieldList } from "../_components/field-list";
import { Section, Subheading } from "../_components/section";

const PLACES = { path: "In the path", query: "In the query", header: "Headers" } as const;

/** One endpoint: what it takes and everything that it answers. */
export function Operation({ operation, root }: { operation: ReferenceOperation; root: string }) {
  const { id, method, path, summary, parameters, bodies, example, answers } = operation;
  const [success, ...others] = answers.filter(({ status }) => status.startsWith("2")).toReversed();
  const refusals = answers.filter(({ status }) => !status.startsWith("2"));
  return (
    <Section id={id} title={summary}>
      <p className="font-mono text-sm break-all">
        <strong className="font-semibold">{method}</strong> {root}
        {path}
      </p>
      {Object.entries(PLACES).map(([place, heading]) => {
        const fields = parameters.filter((parameter) => parameter.place === place);
        if (fields.length === 0) return null;
        return (
          <div key={place} className="grid grid-cols-1 gap-3">
            <Subheading id={`${id}-${place}`}>{heading}</Subheading>
            <FieldList label={heading} fields={fields} />
          </div>
        );
      })}
      {bodies.map(({ name, fields }) => {
        const heading = name === "" ? "Body, every message type" : `${sentenceCase(name)} message`;
        return (
          <div key={name} className="grid grid-cols-1 gap-3">
            <Subheading id={`${id}-body${name === "" ? "" : `-${name}`}`}>{heading}</Subheading>
            <FieldList label={heading} fields={fields} />
          </div>
        );
      })}
      {example === undefined ? null : (
        <CodeBlock label="A body, for example" code={JSON.stringify(example, null, 2)} canCopy={false} />
      )}
      {success ? (
        <div className="grid grid-cols-1 gap-3">
          <Subheading id={`${id}-${success.status}`}>Answer {success.status}</Subheading>
          <p>
            <InlineCode text={success.description} />
          </p>
          <FieldList label={`Answer ${success.status}`} fields={success.fields} isAnswer />
          <Examples answer={success} />
        </div>
      ) : null}
      {others.length + refusals.length > 0 ? <Subheading id={`${id}-others`}>Other answers</Subheading> : null}
      <div className="divide-y divide-hairline rounded-card border border-hairline">
        {[...others, ...refusals].map((answer) => (
          <OtherAnswer key={answer.status} answer={answer} />
        ))}
      </div>
    </Section>
  );
}

function OtherAnswer({ answer }: { answer: ReferenceAnswer }) {
  const codes = answer.examples.map(({ name }) => name).filter(isErrorCode);
  return (
    <details className="px-4 py-2.5">
      <summary className="rounded-sm pointer-coarse:py-2.5">
        <code className="font-mono text-sm font-semibold">{answer.status}</code>{" "}
        <span className="text-sm break-words text-muted">
          {codes.length > 0 ? codes.join(", ") : answer.description}
        </span>
      </summary>
      <div className="mt-3 grid grid-cols-1 gap-3 pb-2">
        {codes.length > 0 ? (
          <ul className="grid gap-1">
            {codes.map((code) => (
              <li key={code}>
                <TextLink href={`/docs/errors/${code}`} prefetch={false} className="font-mono text-sm break-all">
                  {code}
                </TextLink>{" "}
                <span className="text-muted">{ERROR_CATALOGUE[code].title}</span>
              </li>
            ))}
          </ul>
        ) : null}
        <Examples answer={answer} />
      </div>
    </details>
  );
}

function Examples({ answer: { status, examples } }: { answer: ReferenceAnswer }) {
  const [first] = examples;
  return first ? (
    <CodeBlock label={`${status}, an example`} code={JSON.stringify(first.body, null, 2)} canCopy={false} />
  ) : null;
}
