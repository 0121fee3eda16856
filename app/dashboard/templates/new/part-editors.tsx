"use client";

import { useRef } from "react";
import { boundTo } from "@/app/_components/bound-fields";
import { Button } from "@/app/_components/button";
import { Field, Select, TextArea, useIssue } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import { characterCount } from "@/lib/core/text";
import type { DraftButton, DraftHeader, DraftPart } from "@/lib/whatsapp/draft";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { findPlaceholders, textAround } from "@/lib/whatsapp/placeholders";

type HeaderProps = {
  at: string;
  header: DraftHeader;
  /** On a card: a picture or a video, and nothing else. */
  isCard?: boolean;
  onChange: (header: DraftHeader) => void;
};

export function HeaderEditor({ at, header, isCard = false, onChange }: HeaderProps) {
  const { kind, text } = header;
  const bound = boundTo(header, onChange, `${at}.`);
  const isMedia = kind !== "none" && kind !== "text";
  const hasVariable = kind === "text" && findPlaceholders(text).length > 0;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label="Header"
        name={`${at}.kind`}
        value={kind}
        onText={(next) => onChange({ ...header, kind: KINDS.find((one) => one === next) ?? "none", sample: "" })}
        options={optionsOf(isCard ? CARD_KINDS : KINDS, (one) => WORDS[one])}
      />
      {kind === "text" ? (
        <Field
          label="Header text"
          {...bound("text")}
          hint={`${characterCount(text)}/${MAX_CHARACTERS.headerText}, with one {{1}} at most`}
        />
      ) : null}
      {isMedia || hasVariable ? (
        <Field
          label={isMedia ? `Sample ${kind}` : "Sample for {{1}}"}
          {...bound("sample")}
          inputMode={isMedia ? "url" : "text"}
          hint={isMedia ? "A public address. For the review only: each send brings its own." : "For the review only."}
        />
      ) : null}
    </div>
  );
}

const KINDS = ["none", "text", "image", "video", "document"] as const;
const CARD_KINDS = ["image", "video"] as const;
const WORDS = { none: "None", text: "Text", image: "Picture", video: "Video", document: "Document" };

type BodyProps = {
  /** Prefix of the fields' names: `cards.0.`. */
  at: string;
  part: Pick<DraftPart, "body" | "samples">;
  most: number;
  onChange: (part: Pick<DraftPart, "body" | "samples">) => void;
};

export function BodyEditor({ at, part: { body, samples }, most, onChange }: BodyProps) {
  const area = useRef<HTMLDivElement>(null);
  const keys = findPlaceholders(body);
  const addVariable = () => {
    const field = area.current?.querySelector("textarea");
    const place = field?.selectionEnd ?? body.length;
    const text = `${body.slice(0, place)}{{${keys.length + 1}}}${body.slice(place)}`;
    onChange({ body: text, samples });
    field?.focus();
  };
  const setSample = (index: number, value: string) =>
    onChange({ body, samples: keys.map((_, place) => (place === index ? value : (samples[place] ?? ""))) });
  return (
    <div ref={area} className="grid gap-4">
      <TextArea
        label="Body"
        name={`${at}body`}
        rows={5}
        dir="auto"
        value={body}
        onText={(text) => onChange({ body: text, samples })}
        hint={
          <span className="flex flex-wrap justify-between gap-x-4">
            <span>*bold* _italic_ ~strike~ ```mono```</span>
            <span className={`tabular-nums ${characterCount(body) > most ? "text-danger" : ""}`}>
              {characterCount(body)}/{most}
            </span>
          </span>
        }
      />
      <Button icon="plus" className="justify-self-start" look="secondary" onClick={addVariable}>
        Add variable
      </Button>
      {keys.length > 0 ? (
        <div className="grid gap-4 sm:grid-cols-2">
          {keys.map((key, index) => (
            <Field
              key={key}
              label={`Sample for {{${key}}}`}
              name={`${at}samples.${index}`}
              value={samples[index] ?? ""}
              dir="auto"
              onText={(text) => setSample(index, text)}
              hint={textAround(body, key)}
            />
          ))}
        </div>
      ) : null}
    </div>
  );
}

type Props = { at: string; buttons: DraftButton[]; most: number; onChange: (buttons: DraftButton[]) => void };

export function ButtonsEditor({ at, buttons, most, onChange }: Props) {
  const replace = (index: number, button: DraftButton) => onChange(buttons.with(index, button));
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Buttons</legend>
      {buttons.map((button, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a button is its place
        <div key={index} className="grid gap-3 rounded-card border border-hairline p-4">
          <div className="flex items-center justify-between gap-2">
            <span className="text-sm text-muted">
              {index + 1}. {BUTTON_WORDS[button.kind]}
            </span>
            <Button look="quietDanger" onClick={() => onChange(buttons.toSpliced(index, 1))}>
              Remove
            </Button>
          </div>
          <ButtonFields at={`${at}.${index}`} button={button} onChange={(changed) => replace(index, changed)} />
        </div>
      ))}
      <GroupIssue name={at} />
      <div className="flex flex-wrap gap-2">
        {BUTTON_KINDS.map((kind) => (
          <Button
            icon="plus"
            key={kind}
            look="secondary"
            disabled={buttons.length >= most}
            onClick={() => onChange([...buttons, { kind, label: "", target: "", sample: "" }])}
          >
            {BUTTON_WORDS[kind]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

/** What is wrong with several fields together. */
export function GroupIssue({ name }: { name: string }) {
  const issue = useIssue(name);
  return <div role="status">{issue ? <p className="text-sm text-danger">{issue}</p> : null}</div>;
}

type FieldsProps = { at: string; button: DraftButton; onChange: (button: DraftButton) => void };

function ButtonFields({ at, button, onChange }: FieldsProps) {
  const { kind, label, target } = button;
  const bound = boundTo(button, onChange, `${at}.`);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {kind === "copyCode" ? null : (
        <Field
          label="Label"
          {...bound("label")}
          hint={`${characterCount(label)}/${MAX_CHARACTERS.templateLabel}, what people read`}
        />
      )}
      {kind === "url" || kind === "phone" ? (
        <Field
          label={kind === "url" ? "URL" : "Phone number"}
          {...bound("target")}
          inputMode={kind === "url" ? "url" : "tel"}
          hint={kind === "url" ? "https://… , with {{1}} at the very end if it varies" : "With country code"}
        />
      ) : null}
      {kind === "copyCode" || (kind === "url" && target.includes("{{")) ? (
        <Field
          label={kind === "url" ? "Sample for {{1}}" : "Sample code"}
          {...bound("sample")}
          hint={
            kind === "url"
              ? "Only what comes after the fixed part, for the review. In a send, value 1 fills the body’s {{1}} and this link alike."
              : `${MAX_CHARACTERS.couponCode} characters at most`
          }
        />
      ) : null}
    </div>
  );
}

const BUTTON_KINDS = ["quickReply", "url", "phone", "copyCode"] as const;
const BUTTON_WORDS: Record<DraftButton["kind"], string> = {
  quickReply: "Quick reply",
  url: "Link",
  phone: "Call",
  copyCode: "Copy code",
};
