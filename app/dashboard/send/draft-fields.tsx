"use client";

import { Choice } from "@/app/_components/choice";
import { Field, Select, TextArea } from "@/app/_components/field";
import type { Mode } from "@/db/schema/identity";
import type { SendDraft } from "@/lib/messages/send-draft";
import { TEST_NUMBERS } from "@/lib/sandbox/test-numbers";
import type { TemplateChoice } from "./prefill";

type Props = {
  mode: Mode;
  lines: { id: string; label: string }[];
  templates: TemplateChoice[];
  draft: SendDraft;
  onChange: (draft: SendDraft) => void;
};

export function DraftFields({ mode, lines, templates, draft, onChange }: Props) {
  const set = (change: Partial<SendDraft>) => onChange({ ...draft, ...change });
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
          <option value="">Another number, which is delivered and read</option>
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
      <div>
        <Choice
          label="Type"
          options={{ text: "Text", template: "Template", interactive: "Interactive" }}
          value={draft.type}
          onChange={(type) => set({ type })}
        />
      </div>
      <ContentFields templates={templates} draft={draft} set={set} />
    </>
  );
}

type ContentProps = Pick<Props, "templates" | "draft"> & { set: (change: Partial<SendDraft>) => void };

function ContentFields({ templates, draft, set }: ContentProps) {
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
      return <TemplateFields templates={templates} draft={draft} set={set} />;
    default:
      return draft.type satisfies never;
  }
}

function TemplateFields({ templates, draft, set }: ContentProps) {
  const nameOf = ({ name, language }: { name: string; language: string }) => `${name} (${language})`;
  const chosen = templates.find((one) => nameOf(one) === nameOf(draft.template));
  if (templates.length === 0) return <p className="text-muted">No approved template yet. Sync or create one first.</p>;
  return (
    <>
      <Select
        label="Template"
        name="templateName"
        value={nameOf(draft.template)}
        onChange={(event) => {
          const next = templates.find((one) => nameOf(one) === event.target.value);
          if (!next) return;
          const samples = next.variables.flatMap(({ key, sample, required }) => (required ? [[key, sample]] : []));
          set({ template: { name: next.name, language: next.language }, values: Object.fromEntries(samples) });
        }}
      >
        {chosen ? null : <option value={nameOf(draft.template)}>{nameOf(draft.template)}</option>}
        {templates.map((one) => (
          <option key={nameOf(one)} value={nameOf(one)}>
            {nameOf(one)}
          </option>
        ))}
      </Select>
      {(chosen?.variables ?? []).map(({ key, where, sample, required }) => (
        <Field
          key={key}
          id={`value-${key}`}
          label={key}
          name={`templateVariables.${key}`}
          dir="auto"
          placeholder={sample}
          value={draft.values[key] ?? ""}
          onChange={(event) => set({ values: { ...draft.values, [key]: event.target.value } })}
          hint={required ? `Fills: ${where}` : `Fills: ${where}. May stay empty.`}
        />
      ))}
      {chosen && chosen.componentOnly.length > 0 ? (
        <p className="text-sm text-muted">
          The form cannot fill {[...new Set(chosen.componentOnly)].join(" and ")}.{" "}
          <a href={`/dashboard/send?template=${chosen.id}`} className="text-link underline underline-offset-2">
            Write this send as JSON
          </a>
        </p>
      ) : null}
    </>
  );
}
