"use client";

import { useRef, useState } from "react";
import { Button } from "./button";

type Outcome = "idle" | "copied" | "refused";

type Props = {
  /** Without it, the code in `data-copyable` is copied. */
  value?: string;
  label: string;
  word?: string;
};

/** Stands within `data-copyable`; where the browser refuses to copy, it selects the code in there instead. */
export function CopyButton({ value, label, word = "Copy" }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [outcome, setOutcome] = useState<Outcome>("idle");

  const copy = async () => {
    const code = button.current?.closest("[data-copyable]")?.querySelector("code");
    const text = value ?? code?.textContent ?? "";
    const copied =
      (await copyByClipboard(text)) || copyByCommand(text, button.current?.closest("dialog") ?? document.body);
    if (!copied) select(code);
    button.current?.focus();
    setOutcome(copied ? "copied" : "refused");
    if (copied) setTimeout(() => setOutcome("idle"), 2_000);
  };

  return (
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
  );
}

const WORDS: Record<Exclude<Outcome, "idle">, string> = { copied: "Copied", refused: "Press Ctrl+C" };

/** The clipboard does not exist on plain http, and may refuse elsewhere. */
const copyByClipboard = async (value: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return false;
  }
};

/** Beside an open dialog nothing can be selected, so the text stands within it. */
const copyByCommand = (value: string, place: Element): boolean => {
  const area = document.createElement("textarea");
  area.value = value;
  area.readOnly = true;
  // What cannot wrap would be copied with its spaces folded, and Python lives by them.
  area.className = "sr-only whitespace-pre";
  place.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
};

const select = (element: Element | null | undefined): void => {
  if (element) getSelection()?.selectAllChildren(element);
};
