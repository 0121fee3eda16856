"use client";

import { useState } from "react";
import { Choice } from "@/app/_components/choice";
import { Bubble, CardBubbles } from "@/app/_components/message-bubble";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { previewTemplate } from "@/lib/templates/preview";

type Props = {
  definition: TemplateDefinition;
  values: ReadonlyMap<string, string>;
  /** Of the body with its values; the editor counts the body itself. */
  hasCount?: boolean;
};

/** The message as its reader will see it. Whatever a template or a value holds is shown as text. */
export function TemplatePreview({ definition, values, hasCount = true }: Props) {
  const [scheme, setScheme] = useState<keyof typeof SCHEMES>("light");
  const { offer, footer, cards, ...main } = previewTemplate(definition, values);
  const { used, most } = main.characters;
  const isEmpty = !main.header && main.body.length + main.buttons.length === 0 && !offer && !footer;
  return (
    <section aria-labelledby="preview-title" className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="preview-title" className="font-semibold">
          Preview
        </h2>
        <Choice label="Colours of the preview" options={SCHEMES} value={scheme} onChange={setScheme} />
      </div>
      <div
        data-preview={scheme}
        className={`overflow-hidden rounded-card border border-hairline bg-chat p-3 text-ink ${scheme === "dark" ? "scheme-dark" : "scheme-light"}`}
      >
        {isEmpty ? (
          <p className="py-6 text-center text-sm text-muted">What you write appears here.</p>
        ) : (
          <Bubble part={main} offer={offer} footer={footer} />
        )}
        <CardBubbles cards={cards} />
      </div>
      {hasCount ? (
        <p className={`text-sm tabular-nums ${used > most ? "text-danger" : "text-muted"}`}>
          {used}/{most} characters in the body
        </p>
      ) : null}
    </section>
  );
}

const SCHEMES = { light: "Light", dark: "Dark" };
