"use client";

import { boundTo } from "@/app/_components/bound-fields";
import { Choice } from "@/app/_components/choice";
import { Field, Select, TextArea } from "@/app/_components/form";
import { labelled, optionsOf } from "@/app/_components/options";
import { Notice } from "@/app/_components/panels";
import { isRecord } from "@/lib/core/json";
import { plainNumber } from "@/lib/core/phone";
import type { Mode } from "@/lib/core/principal";
import type { SendDraft } from "@/lib/messages/send/send-draft";
import { TEST_NUMBERS } from "@/lib/sandbox/recipients";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { ValueFields } from "./value-fields";

type Props = {
  mode: Mode;
  lines: { id: string; label: string }[];
  templates: TemplateDefinition[];
  /** The template named in the draft. */
  chosen: TemplateDefinition | undefined;
  /** The form sends only the chosen template, which cannot be changed. */
  isTemplateFixed: boolean;
  draft: SendDraft;
  onChange: (draft: SendDraft) => void;
};

export function DraftFields({ mode, lines, templates, chosen, draft, onChange, isTemplateFixed }: Props) {
  const set = (change: Partial<SendDraft>) => onChange({ ...draft, ...change });
  const bound = boundTo(draft, onChange);
  // JSON may have brought something else into the form of a template.
  const isFixed = isTemplateFixed && draft.type === "template" && chosen !== undefined;
  const isTestNumber = TEST_NUMBERS.some(({ phone }) => phone === draft.phone);
  return (
    <>
      {mode === "test" ? (
        <Select
          label="Test outcome"
          {...bound("phone")}
          name="testNumber"
          value={isTestNumber ? draft.phone : ""}
          options={[
            ...TEST_NUMBERS.map(({ phone, result }) => ({ value: phone, word: `${result} · ${phone}` })),
            { value: "", word: "Any other number (delivered, then read)" },
          ]}
        />
      ) : null}
      <Field label="To" {...bound("phone")} inputMode="tel" hint="Country code and digits, like 447700900123." />
      {lines.length > 1 || draft.phoneNumberId !== "" ? (
        <Select
          label="Line"
          {...bound("phoneNumberId")}
          options={[...(lines.length > 1 ? [] : [{ value: "", word: "The only active one" }]), ...labelled(lines)]}
        />
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
      {draft.type === "text" ? (
        <TextArea
          label="Text"
          {...bound("text")}
          name="content"
          dir="auto"
          hint="Reaches people within 24 hours of their last message. After that, send a template."
        />
      ) : null}
      {draft.type === "interactive" ? (
        <TextArea
          label="Content, as JSON"
          {...bound("interactive")}
          name="content"
          rows={8}
          spellCheck={false}
          className="font-mono text-sm"
          hint="Buttons, a list or a link. In the call it is a string that holds this JSON."
        />
      ) : null}
      {draft.type === "template" ? (
        <TemplateFields templates={templates} chosen={chosen} isTemplateFixed={isFixed} draft={draft} set={set} />
      ) : null}
    </>
  );
}

type TemplateProps = Omit<Props, "mode" | "lines" | "onChange"> & { set: (change: Partial<SendDraft>) => void };

function TemplateFields({ templates, chosen, isTemplateFixed, draft, set }: TemplateProps) {
  if (templates.length === 0) return <p className="text-muted">No approved template yet. Sync or create one first.</p>;
  return (
    <>
      {isTemplateFixed ? null : (
        <Select
          label="Template"
          name="templateName"
          value={nameOf(draft.template)}
          onText={(name) => {
            const next = templates.find((one) => nameOf(one) === name);
            if (!next) return;
            const values = Object.fromEntries(withSamples(next, new Map()));
            set({ template: { name: next.name, language: next.language }, values });
          }}
          options={optionsOf([...(chosen ? [] : [draft.template]), ...templates].map(nameOf))}
        />
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

export type SendingLine = { id: string; label: string; displayPhoneNumber: string };
export type NamedContact = { id: string; word: string };

type SendRouteProps = {
  id: string;
  mode: Mode;
  /** As far as the call can be read. */
  body: unknown;
  lines: readonly SendingLine[];
  /** The contact that the page was opened with. */
  contact: NamedContact | undefined;
};

/** From which line to whom the message will be sent, right above the button. */
export function SendRoute({ id, mode, body, lines, contact }: SendRouteProps) {
  const fields = isRecord(body) ? body : {};
  const isLive = mode === "live";
  return (
    <div id={id}>
      <Notice tone={isLive ? "caution" : "info"}>
        Sends from {lineWord(fields.phoneNumberId, lines)} to {recipientWord(fields, contact)}.{" "}
        {isLive ? "A real person receives it, and it counts against the plan." : "Test mode: nothing reaches a person."}
      </Notice>
    </div>
  );
}

function lineWord(phoneNumberId: unknown, lines: readonly SendingLine[]) {
  const isNamed = typeof phoneNumberId === "string" && phoneNumberId !== "";
  const line = isNamed ? lines.find(({ id }) => id === phoneNumberId) : lines.length === 1 ? lines[0] : undefined;
  if (!line) return isNamed ? <>a line that is not active in this mode</> : <>no line: name one of {lines.length}</>;
  return (
    <>
      <strong className="font-semibold">{line.label}</strong> ({line.displayPhoneNumber})
    </>
  );
}

function recipientWord({ phone, contactId }: Record<string, unknown>, contact: NamedContact | undefined) {
  if (typeof phone === "string" && phone.trim() !== "") {
    return <strong className="font-semibold break-words">+{plainNumber(phone).trim().replace(/^\+/, "")}</strong>;
  }
  if (typeof contactId !== "string" || contactId === "") return <>no recipient yet</>;
  if (contactId !== contact?.id) return <strong className="font-semibold break-words">contact {contactId}</strong>;
  return <strong className="font-semibold break-words">{contact.word}</strong>;
}
