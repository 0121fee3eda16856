"use client";

import { useMemo, useState } from "react";
import { Button, ButtonLink } from "@/app/_components/button";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Choice } from "@/app/_components/choice";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { InlineCode } from "@/app/_components/inline-code";
import { Notice } from "@/app/_components/notice";
import { AppError } from "@/lib/core/app-error";
import type { Caller } from "@/lib/docs/snippets";
import { formsOf, SEND_FORMS, type SendForm, type TemplateSend, templateSendBody } from "@/lib/docs/template-send";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { TemplatePreview } from "../_components/template-preview";
import { ValueFields } from "./value-fields";

type Props = {
  templateId: string;
  definition: TemplateDefinition;
  caller: Caller;
  phoneNumberId: string | null;
  /** Of the call, until another is typed. */
  recipient: string;
  canSend: boolean;
};

/** The values of a template, the message that they make, and the call that sends it: one definition behind all three. */
export function Composer({ templateId, definition, caller, phoneNumberId, recipient, canSend }: Props) {
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [phone, setPhone] = useState("");
  const [first = "components", ...others] = formsOf(definition);
  const [form, setForm] = useState<SendForm>(first);
  const values = useMemo(() => withSamples(definition, typed), [definition, typed]);
  const written = write({ definition, values, phone: phone || recipient, phoneNumberId }, form);
  const forms = Object.fromEntries([first, ...others].map((one) => [one, SEND_FORMS[one]]));
  const isSampled = first === "components" || [...values.keys()].some((key) => !typed.get(key));

  return (
    <div className="grid items-start gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_21rem]">
      <section aria-labelledby="values-title" className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 id="values-title" className="font-semibold">
            Values
          </h2>
          {values.size > 0 ? (
            <Button look="secondary" onClick={() => setTyped(values)}>
              Fill in samples
            </Button>
          ) : null}
        </div>
        <ValueFields
          definition={definition}
          values={typed}
          issues={written.issues}
          onChange={(key, value) => setTyped(new Map([...typed, [key, value]]))}
        />
      </section>
      <div className="lg:sticky lg:top-20 lg:row-span-2">
        <TemplatePreview definition={definition} values={typed} />
      </div>
      <section aria-labelledby="call-title" className="grid gap-4">
        <h2 id="call-title" className="font-semibold">
          The call
        </h2>
        <div className="max-w-xs">
          <Field
            label="Recipient"
            name="recipient"
            inputMode="tel"
            autoComplete="off"
            placeholder={recipient}
            value={phone}
            onChange={(event) => setPhone(event.currentTarget.value)}
          />
        </div>
        {written.body ? (
          <CallSnippets
            label="POST /api/v1/public/messages/send"
            call={{ method: "POST", path: "/messages/send", body: written.body }}
            caller={caller}
          >
            <Choice label="Form of the call" options={forms} value={form} onChange={setForm} />
          </CallSnippets>
        ) : (
          <Notice tone="caution">
            <InlineCode text={written.fault} />
          </Notice>
        )}
        <p className="text-sm text-muted">
          <InlineCode text={noteOf(form)} />
          {isSampled && written.body ? " Where nothing is filled in, the call holds a sample." : null}
        </p>
        {canSend ? (
          <div>
            <ButtonLink look="secondary" href={`/dashboard/send?${testSend(templateId, values)}`}>
              <Icon name="send" />
              Send message with these values
            </ButtonLink>
          </div>
        ) : null}
      </section>
    </div>
  );
}

type Written =
  | { body: Record<string, unknown>; fault: ""; issues: Record<string, string> }
  | { body: undefined; fault: string; issues: Record<string, string> };

/** The body that the API takes, or what it would answer. */
const write = (send: TemplateSend, form: SendForm): Written => {
  try {
    return { body: templateSendBody(send, form), fault: "", issues: {} };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const issues = (error.details.issues ?? []).map(({ path, message }) => [path, message]);
    return {
      body: undefined,
      fault: `The API would refuse this. ${error.message}`,
      issues: Object.fromEntries(issues),
    };
  }
};

const testSend = (template: string, values: ReadonlyMap<string, string>) =>
  new URLSearchParams({ template, values: JSON.stringify(Object.fromEntries(values)) });

const noteOf = (form: SendForm): string => {
  switch (form) {
    case "variables":
      return "One string for each key; nothing is sent for the rest. Recommended.";
    case "components":
      return "WhatsApp’s own form, passed on unchanged: `index` counts the template’s buttons from 0, `card_index` its cards, and the language must be exactly this one. A card’s picture goes by the `id` of media that you uploaded to WhatsApp.";
    case "carousel":
      return "The cards one by one. `index` counts cards, and within a card its buttons, from 0.";
    default:
      return form satisfies never;
  }
};
