"use client";

import { useIssue } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { Field } from "@/app/_components/field";
import { Icon } from "@/app/_components/icon";
import { characterCount } from "@/lib/core/text";
import type { DraftButton } from "@/lib/whatsapp/draft";
import { MOST_CHARACTERS } from "@/lib/whatsapp/limits";

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
              {index + 1}. {WORDS[button.kind]}
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
        {KINDS.map((kind) => (
          <Button
            key={kind}
            look="secondary"
            disabled={buttons.length >= most}
            onClick={() => onChange([...buttons, { kind, label: "", target: "", sample: "" }])}
          >
            <Icon name="plus" />
            {WORDS[kind]}
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
  const { kind, label, target, sample } = button;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {kind === "copyCode" ? null : (
        <Field
          label="Label"
          name={`${at}.label`}
          value={label}
          onChange={({ currentTarget }) => onChange({ ...button, label: currentTarget.value })}
          hint={`${characterCount(label)}/${MOST_CHARACTERS.templateLabel}, what people read`}
        />
      )}
      {kind === "url" || kind === "phone" ? (
        <Field
          label={kind === "url" ? "URL" : "Phone number"}
          name={`${at}.target`}
          inputMode={kind === "url" ? "url" : "tel"}
          autoComplete="off"
          value={target}
          onChange={({ currentTarget }) => onChange({ ...button, target: currentTarget.value })}
          hint={kind === "url" ? "https://… , with {{1}} at the very end if it varies" : "With country code"}
        />
      ) : null}
      {kind === "copyCode" || (kind === "url" && target.includes("{{")) ? (
        <Field
          label={kind === "url" ? "Sample for {{1}}" : "Sample code"}
          name={`${at}.sample`}
          value={sample}
          onChange={({ currentTarget }) => onChange({ ...button, sample: currentTarget.value })}
          hint={
            kind === "url"
              ? "Only what comes after the fixed part. Independent of the body’s {{1}}."
              : `${MOST_CHARACTERS.couponCode} characters at most`
          }
        />
      ) : null}
    </div>
  );
}

const KINDS = ["quickReply", "url", "phone", "copyCode"] as const;
const WORDS: Record<DraftButton["kind"], string> = {
  quickReply: "Quick reply",
  url: "Link",
  phone: "Call",
  copyCode: "Copy code",
};
