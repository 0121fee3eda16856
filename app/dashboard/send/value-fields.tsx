import { Field } from "@/app/_components/form";
import { Icon } from "@/app/_components/icon";
import { characterCount } from "@/lib/core/text";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { buttonsWithoutValue, groupFields, isMediaId, type ValueField } from "@/lib/templates/value-fields";
import {
  COPY_CODE,
  HEADER_ID,
  HEADER_LINK,
  listVariables,
  PRODUCT,
  readCardKey,
  type TemplateVariable,
} from "@/lib/templates/variable-keys";

type Props = {
  definition: TemplateDefinition;
  values: Record<string, string>;
  onChange: (key: string, value: string) => void;
};

/** One field for each key of a send, named as the template shows it; the key that the API takes is in the hint. */
export function ValueFields({ definition, values, onChange }: Props) {
  const groups = groupFields(definition);
  const silent = buttonsWithoutValue(definition);
  const componentOnly = listVariables(definition).filter(({ fillWith }) => fillWith !== undefined);
  return (
    <>
      {groups.length === 0 && componentOnly.length === 0 ? (
        <p className="text-muted">This template has no variables: there is nothing to fill in.</p>
      ) : null}
      {groups.map(({ cardIndex, fields }) => (
        <fieldset
          key={cardIndex ?? "message"}
          className={`grid gap-4 ${cardIndex === null ? "" : "rounded-card border border-hairline px-4 pt-2 pb-4"}`}
        >
          <legend className={cardIndex === null ? "sr-only" : "px-1 text-sm text-muted"}>
            {cardIndex === null ? "Message" : `Card ${cardIndex + 1}`}
          </legend>
          {fields.map((field) => {
            const { key } = field;
            const format = formatOf(definition, cardIndex);
            const input = (
              <ValueInput key={key} field={field} format={format} onChange={onChange} value={values[key] ?? ""} />
            );
            if (!isMediaId(field)) return input;
            return (
              <details key={key}>
                <summary className="text-sm text-link">Use a media id in place of the link</summary>
                <div className="mt-2">{input}</div>
              </details>
            );
          })}
        </fieldset>
      ))}
      {[...componentOnly.map(componentNote), ...silent.map(silentNote)].map((note) => (
        <p key={note} className="flex gap-2 text-sm text-muted">
          <Icon name="info" className="mt-0.5" />
          {note}
        </p>
      ))}
    </>
  );
}

/** The legend says which card, from 1 on as people count. */
const CARD = /^card \d+ /;

/** What kind of media a header takes. */
function formatOf({ header, cards }: TemplateDefinition, cardIndex: number | null): string {
  const own = cardIndex === null ? header : cards[cardIndex]?.header;
  return own?.kind === "media" ? own.format : "media";
}

function labelOf(key: string, format: string): string {
  const slot = readCardKey(key)?.slot ?? key;
  const labels: Record<string, string> = {
    [HEADER_LINK]: `Header ${format}, link`,
    [HEADER_ID]: `Header ${format}, media id`,
    [COPY_CODE]: "Code to copy",
    [PRODUCT]: "Product id",
  };
  return labels[slot] ?? `{{${slot}}}`;
}

type InputProps = { field: ValueField; format: string; value: string; onChange: Props["onChange"] };

function ValueInput({ field, format, value, onChange }: InputProps) {
  const { key, example, maxLength, required, oneOf, places, urlBase } = field;
  return (
    <Field
      label={labelOf(key, format)}
      name={`templateVariables.${key}`}
      value={value}
      dir="auto"
      placeholder={example ?? undefined}
      onText={(text) => onChange(key, text)}
      hint={
        <span className="flex flex-wrap justify-between gap-x-4">
          <span className="min-w-0 break-words">
            {urlBase === null ? null : (
              <>
                <code className="font-mono text-sm break-all text-ink">{urlBase}</code> + this suffix ·{" "}
              </>
            )}
            <code className="font-mono text-sm">{key}</code> ·{" "}
            {places.map((place) => place.replace(CARD, "")).join(", ")}
            {required
              ? ""
              : oneOf
                ? ` · this or ${oneOf.filter((other) => other !== key).join(" or ")}`
                : " · optional"}
          </span>
          {maxLength === null ? null : (
            <span className={`tabular-nums ${characterCount(value) > maxLength ? "text-danger" : ""}`}>
              {characterCount(value)}/{maxLength}
            </span>
          )}
        </span>
      }
    />
  );
}

function componentNote({ key, where, oneOf = [] }: TemplateVariable): string {
  const others = oneOf.filter((other) => other !== key);
  const instead = others.length > 0 ? `, or ${others.join(" or ")} for a single one` : "";
  return `${key} (${where.join(", ")}): only templateComponents can fill it, which you write as JSON${instead}.`;
}

const silentNote = (label: string): string => `Button “${label}”: nothing to send.`;
