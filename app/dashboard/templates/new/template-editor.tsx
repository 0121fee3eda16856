"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { ActionForm, FieldIssues } from "@/app/_components/action-form";
import { Field, Select } from "@/app/_components/field";
import { FormProgress } from "@/app/_components/form-progress";
import { useAddressInMode } from "@/app/_components/link-mode";
import { SubmitButton } from "@/app/_components/submit-button";
import { checkDraft } from "@/lib/templates/authoring-rules";
import { definitionOf, sampleValuesOf } from "@/lib/templates/draft-definition";
import type { TemplateDraft } from "@/lib/whatsapp/draft";
import { ENTRIES, MOST_CHARACTERS } from "@/lib/whatsapp/limits";
import { TemplatePreview } from "../_components/template-preview";
import { createTemplate } from "../actions";
import { ButtonsEditor } from "./buttons-editor";
import { CardsEditor } from "./cards-editor";
import { BodyEditor, HeaderEditor } from "./part-editors";

type Props = {
  workspaceId: string;
  mode: "live" | "test";
  /** One line for each business account. */
  accounts: { id: string; label: string; whatsappBusinessAccountId: string }[];
};

/** Checks as one types what WhatsApp would refuse after a day of review; the server holds it to the same rules. */
export function TemplateEditor({ workspaceId, mode, accounts }: Props) {
  const router = useRouter();
  const addressOf = useAddressInMode();
  const form = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<TemplateDraft>(EMPTY);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isChecked, setIsChecked] = useState(false);
  const faults = useMemo(() => checkDraft(draft), [draft]);
  // Only a field's first fault: fixing it may fix the rest.
  const shown = Object.fromEntries(
    faults
      .filter(({ path }) => isChecked || touched.has(path) || path === "buttons" || path === "cards")
      .toReversed()
      .map(({ path, message }) => [path, message]),
  );
  const change = (some: Partial<TemplateDraft>) => setDraft((before) => ({ ...before, ...some }));
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
        workspaceId={workspaceId}
        className="grid gap-6"
        done="Submitted."
        onDone={({ templateId }) => router.push(addressOf(`/dashboard/templates/${templateId}`))}
      >
        <input type="hidden" name="mode" value={mode} />
        <input type="hidden" name="draft" value={JSON.stringify(draft)} />
        <FieldIssues issues={shown}>
          <div ref={form} onInput={touch} className="grid gap-6">
            <div className="grid gap-4 sm:grid-cols-2">
              <Field
                label="Name"
                name="name"
                autoComplete="off"
                spellCheck={false}
                value={draft.name}
                onChange={({ currentTarget }) => change({ name: currentTarget.value })}
                hint="Lower case, digits and _: order_ready. It cannot be changed later."
              />
              <Field
                label="Language"
                name="language"
                list="languages"
                autoComplete="off"
                value={draft.language}
                onChange={({ currentTarget }) => change({ language: currentTarget.value })}
                hint="Sends must name exactly this code: en is not en_US."
              />
              <datalist id="languages">
                {LANGUAGES.map((language) => (
                  <option key={language} value={language} />
                ))}
              </datalist>
              <Select
                label="Category"
                name="category"
                value={draft.category}
                onChange={({ currentTarget }) =>
                  change({ category: currentTarget.value === "MARKETING" ? "MARKETING" : "UTILITY" })
                }
                hint="Marketing for offers and news; utility for what a customer ordered or asked for."
              >
                <option value="UTILITY">Utility</option>
                <option value="MARKETING">Marketing</option>
              </Select>
              {accounts.length > 1 ? (
                <Select label="Business account" name="phoneNumberId">
                  {accounts.map(({ id, label, whatsappBusinessAccountId }) => (
                    <option key={id} value={id}>
                      {whatsappBusinessAccountId} ({label})
                    </option>
                  ))}
                </Select>
              ) : (
                <input type="hidden" name="phoneNumberId" value={accounts[0]?.id} />
              )}
            </div>
            <HeaderEditor at="header" header={draft.header} onChange={(header) => change({ header })} />
            <BodyEditor at="" part={draft} most={MOST_CHARACTERS.body} onChange={change} />
            <Field
              label="Footer"
              name="footer"
              value={draft.footer}
              onChange={({ currentTarget }) => change({ footer: currentTarget.value })}
              hint="Optional, one line without variables."
            />
            <ButtonsEditor
              at="buttons"
              buttons={draft.buttons}
              most={ENTRIES.templateButtons[1]}
              onChange={(buttons) => change({ buttons })}
            />
            <CardsEditor cards={draft.cards} onChange={(cards) => change({ cards })} />
          </div>
        </FieldIssues>
        <div className="grid justify-items-start gap-2">
          <SubmitButton busy="Submitting…" onClick={hold}>
            Submit for review
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
        <TemplatePreview definition={definitionOf(draft)} values={sampleValuesOf(draft)} />
      </div>
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

const LANGUAGES = [
  "ar",
  "de",
  "en",
  "en_GB",
  "en_US",
  "es",
  "es_MX",
  "fr",
  "he",
  "hi",
  "id",
  "it",
  "ja",
  "ko",
  "nl",
  "pl",
  "pt_BR",
  "pt_PT",
  "ru",
  "tr",
  "uk",
  "vi",
  "zh_CN",
  "zh_TW",
];
