"use client";

import { type ComponentProps, useState } from "react";
import { Field } from "@/app/_components/form";
import { Icon } from "@/app/_components/icon";
import { splitWords } from "@/lib/contacts/word-list";

type Props = Omit<ComponentProps<typeof Field>, "value" | "onText" | "defaultValue"> & { words: readonly string[] };

/** Words in a field, and below it each as a chip: how they are read, before they are saved. */
export function WordsField({ words: saved, readOnly, label, ...field }: Props) {
  const [text, setText] = useState(saved.join(", "));
  const words = splitWords(text);
  return (
    <div className="grid gap-2">
      <Field
        {...field}
        label={label}
        readOnly={readOnly}
        value={text}
        onText={setText}
        dir="auto"
        autoCapitalize="none"
      />
      {words.length > 0 ? (
        <ul className="flex flex-wrap gap-1.5">
          {words.map((word, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a word may be there twice
              key={index}
              className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-full border border-hairline bg-surface px-2.5 text-sm"
            >
              <span dir="auto" className="min-w-0 break-words">
                {word}
              </span>
              {readOnly ? null : (
                <button
                  type="button"
                  aria-label={`Remove ${word}`}
                  onClick={() => setText(words.filter((_, at) => at !== index).join(", "))}
                  className="-me-1 inline-flex size-5 items-center justify-center rounded-full text-muted hover:text-ink pointer-coarse:size-11"
                >
                  <Icon name="cross" className="size-3.5" />
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
