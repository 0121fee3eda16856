"use client";

import { type FormEvent, useMemo, useRef, useState } from "react";
import { boundTo } from "@/app/_components/bound-fields";
import { ActionForm, Field, FieldIssues, FormProgress, Select, SubmitButton } from "@/app/_components/form";
import { useGoTo } from "@/app/_components/link";
import { optionsOf } from "@/app/_components/options";
import type { Mode } from "@/lib/core/principal";
import { sentenceCase } from "@/lib/core/text";
import { checkDraft } from "@/lib/templates/authoring-rules";
import { definitionOf, sampleValuesOf } from "@/lib/templates/draft-definition";
import type { TemplateDraft } from "@/lib/whatsapp/draft";
import { CATEGORIES, ENTRIES, MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { NO_CODE } from "@/lib/whatsapp/one-time-code";
import { TemplatePreview } from "../_components/template-preview";
import { createTemplate } from "../actions";
import { CardsEditor } from "./cards-editor";
import { CodeEditor } from "./code-editor";
import { BodyEditor, ButtonsEditor, HeaderEditor } from "./part-editors";

type Props = {
  mode: Mode;
  /** One line for each business account. */
  accounts: { id: string; label: string; whatsappBusinessAccountId: string }[];
  /** What the editor begins with: an edit keeps its name, a duplicate needs another. */
  given?: { draft: TemplateDraft; edits?: string; issues: Record<string, string> } | undefined;
};

/** Checks as one types what WhatsApp would refuse after a day of review; the server holds it to the same rules. */
export function TemplateEditor({ mode, accounts, given }: Props) {
  const goTo = useGoTo();
  const form = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<TemplateDraft>(given?.draft ?? EMPTY);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isChecked, setIsChecked] = useState(false);
  const faults = useMemo(() => checkDraft(draft), [draft]);
  // Why WhatsApp rejected a field, until that is changed; then only a field's first fault: fixing it may fix the rest.
  const rejected = Object.entries(given?.issues ?? {}).filter(([path]) => !touched.has(path));
  const shown = Object.fromEntries([
    ...rejected,
    ...faults
      .filter(({ path }) => isChecked || touched.has(path) || path === "buttons" || path === "cards")
      .toReversed()
      .map(({ path, message }) => [path, message] as const),
  ]);
  const change = (some: Partial<TemplateDraft>) => setDraft((before) => ({ ...before, ...some }));
  const bound = boundTo(draft, setDraft);
  const touch = ({ target }: FormEvent) => {
    const name = target instanceof HTMLElement ? target.getAttribute("name") : null;
    if (name) setTouched((before) => new Set([...before, name]));
  };
  const hold = (event: FormEvent) => {
    if (faults.length === 0) return;
    event.preventDefault();
    setIsChecked(true);
    // Once the faults are on the page, the first of them gets the focus.
    setTimeout(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };

  return (
    <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_21rem]">
      <ActionForm
        action={createTemplate}
        fields={{ mode, ...(given?.edits && { edits: given.edits }), draft: JSON.stringify(draft) }}
        className="grid gap-6"
        done="Submitted."
        onDone={({ templateId }) => goTo(`/dashboard/templates/${templateId}`)}
      >
        <FieldIssues issues={shown}>
          <div ref={form} onInput={touch} className="grid gap-6">
            <IdentityFields
              accounts={accounts}
              draft={draft}
              bound={bound}
              change={change}
              isEdit={given?.edits !== undefined}
            />
            {draft.category === "AUTHENTICATION" ? (
              <CodeEditor code={draft.code ?? NO_CODE} onChange={(code) => change({ code })} />
            ) : (
              <ContentFields draft={draft} bound={bound} change={change} />
            )}
          </div>
        </FieldIssues>
        <div className="grid justify-items-start gap-2">
          <SubmitButton busy="Submitting…" onClick={hold}>
            {given?.edits === undefined ? "Submit for review" : "Resubmit for review"}
          </SubmitButton>
          {isChecked && faults.length > 0 ? (
            <p role="alert" className="text-danger">
              {faults.length === 1 ? "One thing needs a change." : `${faults.length} things need a change.`}
            </p>
          ) : null}
          <FormProgress text={mode === "live" ? "WhatsApp is reading it…" : "The sandbox is reading it…"} />
        </div>
      </ActionForm>
      <div className="lg:sticky lg:top-20">
        <TemplatePreview definition={definitionOf(draft)} values={sampleValuesOf(draft)} hasCount={false} />
      </div>
    </div>
  );
}

type FieldsProps = {
  draft: TemplateDraft;
  bound: ReturnType<typeof boundTo<TemplateDraft>>;
  change: (some: Partial<TemplateDraft>) => void;
};

/** What its author writes; WhatsApp itself writes a one-time code. */
function ContentFields({ draft, bound, change }: FieldsProps) {
  return (
    <>
      <HeaderEditor at="header" header={draft.header} onChange={(header) => change({ header })} />
      <BodyEditor at="" part={draft} most={MAX_CHARACTERS.body} onChange={change} />
      <Field label="Footer" {...bound("footer")} hint="Optional, one line without variables." />
      <ButtonsEditor
        at="buttons"
        buttons={draft.buttons}
        most={ENTRIES.templateButtons[1]}
        onChange={(buttons) => change({ buttons })}
      />
      <CardsEditor cards={draft.cards} onChange={(cards) => change({ cards })} />
    </>
  );
}

type IdentityProps = FieldsProps & { accounts: Props["accounts"]; isEdit: boolean };

/** What WhatsApp knows the template by, its category and its account. */
function IdentityFields({ accounts, draft, bound, change, isEdit }: IdentityProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Name"
        {...bound("name")}
        spellCheck={false}
        readOnly={isEdit}
        hint={
          isEdit
            ? "An edit keeps name and language."
            : "Lower case, digits and _: order_ready. It cannot be changed later."
        }
      />
      <Field
        label="Language"
        {...bound("language")}
        list="languages"
        readOnly={isEdit}
        hint="Sends must name exactly this code: en is not en_US."
      />
      <datalist id="languages">
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <option key={language} value={language} label={`${name} · ${language}`} />
        ))}
      </datalist>
      <Select
        label="Category"
        name="category"
        value={draft.category}
        onText={(chosen) => change({ category: CATEGORIES.find((one) => one === chosen) ?? "UTILITY" })}
        options={optionsOf(CATEGORIES, sentenceCase)}
        hint="Marketing for offers and news; utility for what a customer ordered or asked for; authentication for one-time codes."
      />
      {accounts.length > 1 && !isEdit ? (
        <Select
          label="Business account"
          name="phoneNumberId"
          options={accounts.map(({ id, label, whatsappBusinessAccountId: account }) => ({
            value: id,
            word: `${account} (${label})`,
          }))}
        />
      ) : (
        <input type="hidden" name="phoneNumberId" value={accounts[0]?.id} />
      )}
    </div>
  );
}

const EMPTY: TemplateDraft = {
  name: "",
  language: "en_US",
  category: "UTILITY",
  header: { kind: "none", text: "", sample: "" },
  body: "",
  samples: [],
  footer: "",
  buttons: [],
  cards: [],
};

/** The usual ones; whatever else WhatsApp takes may be typed. A browser finds them by their names, too. */
const LANGUAGES: Record<string, string> = {
  ar: "Arabic",
  bn: "Bengali",
  cs: "Czech",
  da: "Danish",
  de: "German",
  el: "Greek",
  en: "English",
  en_GB: "English (UK)",
  en_US: "English (US)",
  es: "Spanish",
  es_ES: "Spanish (Spain)",
  es_MX: "Spanish (Mexico)",
  fi: "Finnish",
  fr: "French",
  he: "Hebrew",
  hi: "Hindi",
  hu: "Hungarian",
  id: "Indonesian",
  it: "Italian",
  ja: "Japanese",
  ko: "Korean",
  ms: "Malay",
  nb: "Norwegian",
  nl: "Dutch",
  pl: "Polish",
  pt_BR: "Portuguese (Brazil)",
  pt_PT: "Portuguese (Portugal)",
  ro: "Romanian",
  ru: "Russian",
  sv: "Swedish",
  th: "Thai",
  tr: "Turkish",
  uk: "Ukrainian",
  ur: "Urdu",
  vi: "Vietnamese",
  zh_CN: "Chinese (simplified)",
  zh_TW: "Chinese (traditional)",
};
