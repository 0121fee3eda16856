"use client";

import { useRef, useState } from "react";
import { Button } from "./button";
import { Muted } from "./text";

type Outcome = "idle" | "copied" | "refused";

type Props = {
  /** Without it, the code in `data-copyable` is copied. */
  value?: string;
  label: string;
  word?: string;
};

/** Belongs within `data-copyable`; where the browser refuses to copy, it selects the code in there, or its value in a field. */
export function CopyButton({ value, label, word = "Copy" }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [outcome, setOutcome] = useState<Outcome>("idle");
  const [byHand, setByHand] = useState<string | null>(null);

  const copy = async () => {
    const code = button.current?.closest("[data-copyable]")?.querySelector("code");
    const text = value ?? code?.textContent ?? "";
    const copied =
      (await copyByClipboard(text)) || copyByCommand(text, button.current?.closest("dialog") ?? document.body);
    const isInCode = code?.textContent === text;
    if (!copied && isInCode) getSelection()?.selectAllChildren(code);
    if (copied || isInCode) button.current?.focus();
    setByHand(copied || isInCode ? null : text);
    setOutcome(copied ? "copied" : "refused");
    if (copied) setTimeout(() => setOutcome("idle"), 2_000);
  };

  return (
    <>
      <Button ref={button} look="secondary" size="small" onClick={copy} className="shrink-0">
        <span aria-hidden="true">{outcome === "idle" ? word : WORDS[outcome]}</span>
        <span className="sr-only">Copy {label}</span>
        <span role="status" className="sr-only">
          {outcome === "copied"
            ? "Copied"
            : outcome === "refused"
              ? "Not copied: the text is selected, press Ctrl+C"
              : ""}
        </span>
      </Button>
      {byHand === null ? null : (
        <textarea
          readOnly
          aria-label={`${label}, to copy by hand`}
          value={byHand}
          ref={(field) => field?.select()}
          onBlur={() => setByHand(null)}
          className="max-w-full rounded-control border border-control bg-page p-2 font-mono text-sm"
        />
      )}
    </>
  );
}

const WORDS: Record<Exclude<Outcome, "idle">, string> = { copied: "Copied", refused: "Press Ctrl+C" };

/** The clipboard does not exist on plain http, and may refuse elsewhere. */
async function copyByClipboard(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return false;
  }
}

/** Nothing outside of an open dialog can be selected, so the text is put into it. */
function copyByCommand(value: string, place: Element): boolean {
  const area = document.createElement("textarea");
  area.value = value;
  area.readOnly = true;
  // What cannot wrap would be copied with its spaces folded, and Python needs them.
  area.className = "sr-only whitespace-pre";
  place.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}

type CopyableProps = {
  value: string | null;
  label: string;
  absent?: string;
  /** In place of a value that is too long to be shown. */
  short?: string | undefined;
};

/** A value in mono with its Copy button; `label` finishes "Copy …". */
export function Copyable({ value, label, absent = "None", short }: CopyableProps) {
  if (value === null) return <Muted>{absent}</Muted>;
  return (
    <span data-copyable className="inline-flex max-w-full items-center gap-2">
      <code className={`min-w-0 font-mono text-sm ${short ? "whitespace-nowrap" : "wrap-anywhere"}`}>
        {short ?? value}
      </code>
      <CopyButton value={value} label={label} />
    </span>
  );
}

/** A button that copies a link, which is not shown. */
export function CopyLink({ value, label }: { value: string; label: string }) {
  return (
    <span data-copyable>
      <CopyButton value={value} label={label} word="Copy link" />
    </span>
  );
}
