"use client";

import { useEffect, useRef, useState } from "react";

const LEAST_CHARACTERS = 4;
const PAUSE_MS = 150;

type Found = { word: string; detail: string; path: string };
type Outcome = { text: string; found: Found[]; hasFailed: boolean };

const NOTHING: Outcome = { text: "", found: [], hasFailed: false };

/** What the workspace has by an id or a phone, asked for once the user stops typing. */
export function useFound(workspaceId: string, given: string) {
  const text = given.trim();
  const [outcome, setOutcome] = useState(NOTHING);
  const awaiting = useRef<((path: string) => void) | undefined>(undefined);
  const isTooShort = text.length < LEAST_CHARACTERS;

  useEffect(() => {
    awaiting.current = undefined;
    if (isTooShort) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const found = await ask(workspaceId, text, abort.signal);
      if (abort.signal.aborted) return;
      setOutcome({ text, found: found ?? [], hasFailed: found === undefined });
      const [first] = found ?? [];
      if (first) awaiting.current?.(first.path);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [workspaceId, text, isTooShort]);

  const isCurrent = outcome.text === text;
  return {
    found: isCurrent ? outcome.found : [],
    word: isTooShort
      ? "No page found. Type at least 4 characters to search ids and phone numbers."
      : !isCurrent
        ? "Looking…"
        : outcome.hasFailed
          ? "The search could not be reached. Try again in a moment."
          : "No results.",
    /** Called with the first thing found, unless the text changes before. */
    whenFound: (act: (path: string) => void) => {
      awaiting.current = act;
    },
  };
}

/** Undefined where no answer came. */
const ask = async (workspaceId: string, text: string, signal: AbortSignal): Promise<Found[] | undefined> => {
  try {
    const query = new URLSearchParams({ q: text });
    const response = await fetch(`/api/v1/workspaces/${workspaceId}/search?${query}`, { signal });
    if (!response.ok) return undefined;
    const { data }: { data: { found: Found[] } } = await response.json();
    return data.found;
  } catch {
    return undefined;
  }
};
