"use client";

import { Choice } from "@/app/_components/choice";
import { Field, Select, TextArea } from "@/app/_components/field";
import type { Mode } from "@/db/schema/identity";
import type { SendDraft } from "@/lib/messages/send-draft";
import { TEST_NUMBERS } from "@/lib/sandbox/test-numbers";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { ValueFields } from "./value-fields";

type Props = {
  mode: Mode;
  lines: { id: string; label: string }[];
  templates: TemplateDefinition[];
  /** That of `templates` which the draft names. */
  chosen: TemplateDefinition | undefined;
  /** Nothing but the chosen template is to be sent. */
  isTemplateFixed: boolean;
  draft: SendDraft;
  onChange: (draft: SendDraft) => void;
};

export function DraftFields({ mode, lines, draft, onChange, isTemplateFixed, ...content }: Props) {
  const set = (change: Partial<SendDraft>) => onChange({ ...draft, ...change });
  // JSON may have brought something else into the form of a template.
  const isFixed = isTemplateFixed && draft.type === "template" && content.chosen !== undefined;
  const isTestNumber = TEST_NUMBERS.some(({ phone }) => phone === draft.phone);
  return (
    <>
      {mode === "test" ? (
        <Select
          label="What should happen"
          name="testNumber"
          value={isTestNumber ? draft.phone : ""}
          onChange={(event) => set({ phone: event.target.value })}
        >
          {TEST_NUMBERS.map(({ phone, result }) => (
            <option key={phone} value={phone}>
              {result} · {phone}
            </option>
          ))}
          <option value="">Any other number (delivered, then read)</option>
        </Select>
      ) : null}
      <Field
        label="To"
        name="phone"
        inputMode="tel"
        value={draft.phone}
        onChange={(event) => set({ phone: event.target.value })}
        hint="Country code and digits, like 447700900123."
      />
      {lines.length > 1 || draft.phoneNumberId !== "" ? (
        <Select
          label="Line"
          name="phoneNumberId"
          value={draft.phoneNumberId}
          onChange={(event) => set({ phoneNumberId: event.target.value })}
        >
          {lines.length > 1 ? null : <option value="">The only active one</option>}
          {lines.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      ) : null}
      {isFixed ? null : (
        <div>
          <Choice
            label="Type"
            options={{ text: "Text", template: "Template", interactive: "Interactive" }}
            value={draft.type}
            onChange={(type) => set({ type })}
          />
        </div>
      )}
      <ContentFields {...content} isTemplateFixed={isFixed} draft={draft} set={set} />
    </>
  );
}

type ContentProps = Omit<Props, "mode" | "lines" | "onChange"> & { set: (change: Partial<SendDraft>) => void };

function ContentFields(props: ContentProps) {
  const { draft, set } = props;
  switch (draft.type) {
    case "text":
      return (
        <TextArea
          label="Text"
          name="content"
          dir="auto"
          value={draft.text}
          onChange={(event) => set({ text: event.target.value })}
          hint="Reaches people within 24 hours of their last message; outside of them send a template."
        />
      );
    case "interactive":
      return (
        <TextArea
          label="Content, as JSON"
          name="content"
          rows={8}
          spellCheck={false}
          className="font-mono text-sm"
          value={draft.interactive}
          onChange={(event) => set({ interactive: event.target.value })}
          hint="Buttons, a list or a link. In the call it is a string that holds this JSON."
        />
      );
    case "template":
      return <TemplateFields {...props} />;
    default:
      return draft.type satisfies never;
  }
}

function TemplateFields({ templates, chosen, isTemplateFixed, draft, set }: ContentProps) {
  if (templates.length === 0) return <p className="text-muted">No approved template yet. Sync or create one first.</p>;
  return (
    <>
      {isTemplateFixed ? null : (
        <Select
          label="Template"
          name="templateName"
          value={nameOf(draft.template)}
          onChange={(event) => {
            const next = templates.find((one) => nameOf(one) === event.target.value);
            if (!next) return;
            const { name, language } = next;
            set({ template: { name, language }, values: Object.fromEntries(withSamples(next, new Map())) });
          }}
        >
          {[...(chosen ? [] : [draft.template]), ...templates].map(nameOf).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {chosen ? (
        <ValueFields
          definition={chosen}
          values={draft.values}
          onChange={(key, value) => set({ values: { ...draft.values, [key]: value } })}
        />
      ) : null}
    </>
  );
}

const nameOf = ({ name, language }: SendDraft["template"]) => `${name} (${language})`;
