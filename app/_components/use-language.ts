"use client";

import { useSyncExternalStore } from "react";
import { type Language, readLanguage } from "@/lib/docs/language";

const STORED_AS = "language";

/** The language of every block of calls, as chosen in this browser. The server shows curl: it renders once for all. */
export function useLanguage(): [Language, (language: Language) => void] {
  return [useSyncExternalStore(subscribe, remembered, () => "curl"), choose];
}

let chosen: Language | undefined;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const remembered = (): Language => {
  chosen ??= readLanguage(stored());
  return chosen;
};

const choose = (language: Language): void => {
  chosen = language;
  try {
    localStorage.setItem(STORED_AS, language);
  } catch {
    // A browser that stores nothing remembers it until the page is loaded again.
  }
  for (const listener of listeners) listener();
};

const stored = (): string | null => {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
};
