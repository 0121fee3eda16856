"use client";

import { useEffect } from "react";

/** Between the two keys of a shortcut such as `g m`. */
const SECOND_KEY_WITHIN_MS = 1_000;

type Shortcuts = {
  /** Without them only the one with a modifier works. */
  areOn: boolean;
  /** Addresses by the key that opens them after `g`. */
  pages: Record<string, string>;
  openMenu: () => void;
  openHelp: () => void;
  goTo: (href: string) => void;
};

/** ⌘K or Ctrl+K, `/`, `?` and `g` with a letter. None while the user types, or under an open dialog. */
export function useShortcuts({ areOn, pages, openMenu, openHelp, goTo }: Shortcuts): void {
  useEffect(() => {
    let goPressedAtMs = Number.NEGATIVE_INFINITY;
    const act = (event: KeyboardEvent): (() => void) | undefined => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, timeStamp } = event;
      if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return undefined;
      if ((ctrlKey || metaKey) && !altKey && !shiftKey) return key.toLowerCase() === "k" ? openMenu : undefined;
      if (!areOn || ctrlKey || metaKey || altKey || isWriting(event.target)) return undefined;
      const href = timeStamp - goPressedAtMs < SECOND_KEY_WITHIN_MS ? pages[key] : undefined;
      goPressedAtMs = key === "g" ? timeStamp : Number.NEGATIVE_INFINITY;
      if (href !== undefined) return () => goTo(href);
      if (key === "?") return openHelp;
      return key === "/" ? () => focusSearch(openMenu) : undefined;
    };
    const listen = (event: KeyboardEvent) => {
      const deed = act(event);
      if (!deed) return;
      event.preventDefault();
      deed();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [areOn, pages, openMenu, openHelp, goTo]);
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

/** The list's own search where the page has one. */
const focusSearch = (openMenu: () => void) => {
  const search = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (search) search.focus();
  else openMenu();
};
