"use client";

import { useId, useSyncExternalStore } from "react";
import { type Language, readLanguage } from "@/lib/docs/snippets";

type Props<Value extends string> = {
  label: string;
  options: Partial<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
};

/** One of a few, all in sight; a choice that is an address is a Tab. */
export function Choice<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex max-w-full flex-wrap gap-x-1 rounded-control border border-hairline bg-surface p-0.5">
      <legend className="sr-only">{label}</legend>
      {keysOf(options).map((key) => (
        <label
          key={key}
          className="inline-flex min-h-7 items-center rounded-[0.25rem] px-2.5 text-sm text-muted hover:text-ink has-checked:bg-page has-checked:font-medium has-checked:text-ink has-checked:ring-1 has-checked:ring-control has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-link pointer-coarse:min-h-11"
        >
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} className="sr-only" />
          {options[key]}
        </label>
      ))}
    </fieldset>
  );
}

const keysOf = <Value extends string>(options: Partial<Record<Value, string>>): Value[] =>
  Object.keys(options).filter((key): key is Value => Object.hasOwn(options, key));

const STORED_AS = "language";

/** The language of every block of calls, as chosen in this browser. The server shows curl: it renders once for all. */
export function useLanguage(): [Language, (language: Language) => void] {
  return [useSyncExternalStore(chosen.subscribe, chosen.get, () => "curl"), chooseLanguage];
}

const chosen = pageValue(() => readLanguage(storedLanguage()));

function chooseLanguage(language: Language): void {
  chosen.set(language);
  try {
    localStorage.setItem(STORED_AS, language);
  } catch {
    // A browser that stores nothing remembers it until the page is loaded again.
  }
}

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
}

/** A value that the parts of a page share, for `useSyncExternalStore`. */
export function pageValue<Value>(first: () => Value) {
  let value: { is: Value } | undefined;
  const listeners = new Set<() => void>();
  return {
    get: (): Value => {
      value ??= { is: first() };
      return value.is;
    },
    set: (next: Value): void => {
      value = { is: next };
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
