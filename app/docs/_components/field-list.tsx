import { InlineCode } from "@/app/_components/inline-code";
import type { ReferenceField } from "@/lib/reference/reference";

type Props = {
  label: string;
  fields: readonly ReferenceField[];
  /** In an answer every field is there, and may be null; in a request null is the same as leaving it out. */
  isAnswer?: boolean;
};

export function FieldList({ label, fields, isAnswer = false }: Props) {
  return (
    <dl aria-label={label} className="divide-y divide-hairline rounded-card border border-hairline">
      {fields.map((field) => (
        <div key={field.path} className="px-4 py-2.5">
          <dt className="flex flex-wrap items-baseline gap-x-3">
            <code className="font-mono text-sm font-semibold break-all">{field.path}</code>
            <span className="text-sm text-muted">{typeOf(field, isAnswer)}</span>
            {field.isRequired && !isAnswer ? <span className="text-sm font-medium text-bad">required</span> : null}
          </dt>
          <dd className="mt-0.5 max-w-prose">
            <InlineCode text={[field.description, ...field.limits.map(asSentence)].filter(Boolean).join(" ")} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const typeOf = ({ type, isNullable, isRequired }: ReferenceField, isAnswer: boolean): string =>
  [type, ...(isAnswer && isNullable ? ["or null"] : []), ...(isAnswer && !isRequired ? ["may be absent"] : [])]
    .join(", ")
    .replace(", or null", " or null");

const asSentence = (limit: string): string => `${limit[0]?.toUpperCase()}${limit.slice(1)}.`;
