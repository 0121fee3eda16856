"use client";

import { usePathname, useRouter } from "next/navigation";
import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "@/app/_components/icon";
import { useActiveOption } from "@/app/_components/use-active-option";
import type { Search, SearchResult } from "@/lib/docs/search";

/** Searches every page and heading in the browser. Without JavaScript it is not shown. */
export function DocsSearch({ hasShortcut }: { hasShortcut: boolean }) {
  const router = useRouter();
  const pathname = usePathname();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const { state, load, search } = useSearch();
  const results = search(text);
  const isShown = isOpen && text.trim() !== "";
  const hasList = isShown && results.length > 0;
  const { active, toFirst, move, field: combobox, list, option } = useActiveOption(results.length, hasList);
  const outcome = OUTCOMES[state] ?? "No results. Try fewer words, an error code or the name of a field.";
  useSlash(hasShortcut, field);

  const open = ({ href }: SearchResult) => {
    setText("");
    setIsOpen(false);
    field.current?.blur();
    // The router does not scroll to an anchor that the address already has.
    if (href.split("#")[0] === pathname && href.includes("#")) location.assign(href);
    else router.push(href);
  };

  const answerKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const chosen = results[active];
    if (event.key === "Escape") {
      if (isShown) setIsOpen(false);
      else setText("");
    } else if (event.key === "Enter" && hasList && chosen) {
      event.preventDefault();
      open(chosen);
    } else if (isShown) move(event);
    else if (event.key === "ArrowDown") setIsOpen(true);
  };

  return (
    <search
      className="relative mb-4 block noscript:hidden"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setIsOpen(false);
      }}
    >
      <Icon name="search" className="pointer-events-none absolute start-2.5 top-1/2 -translate-y-1/2 text-muted" />
      <input
        {...combobox}
        ref={field}
        aria-label="Search the docs"
        aria-keyshortcuts={hasShortcut ? "/" : undefined}
        placeholder="Search"
        enterKeyHint="go"
        value={text}
        onFocus={() => {
          load();
          setIsOpen(true);
        }}
        onChange={({ currentTarget }) => {
          load();
          setText(currentTarget.value);
          setIsOpen(true);
          toFirst();
        }}
        onKeyDown={answerKey}
        className="peer min-h-9 w-full rounded-control border border-control bg-page ps-8 pe-8 text-base placeholder:text-muted pointer-coarse:text-[1rem] pointer-coarse:min-h-11"
      />
      {hasShortcut && text === "" ? (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute end-2 top-1/2 -translate-y-1/2 rounded-sm border border-hairline px-1.5 text-sm text-muted peer-focus:hidden pointer-coarse:hidden"
        >
          /
        </span>
      ) : null}
      {isShown ? <Results results={results} outcome={outcome} list={list} option={option} open={open} /> : null}
      <p role="status" className="sr-only">
        {!isShown ? "" : hasList ? `${results.length} ${results.length === 1 ? "result" : "results"}` : outcome}
      </p>
    </search>
  );
}

type ResultsProps = Pick<ReturnType<typeof useActiveOption>, "list" | "option"> & {
  results: SearchResult[];
  outcome: string;
  open: (result: SearchResult) => void;
};

function Results({ results, outcome, list, option, open }: ResultsProps) {
  return (
    <div className="absolute inset-x-0 top-full z-20 mt-2 rounded-card border border-control bg-page p-1 shadow-lg lg:end-auto lg:w-[36rem]">
      {results.length > 0 ? (
        <div {...list} className="max-h-[min(28rem,60dvh)] overflow-y-auto">
          {results.map((result, index) => (
            <Option key={result.href} result={result} {...option(index)} onClick={() => open(result)} />
          ))}
        </div>
      ) : (
        <p className="px-3 py-6 text-center text-muted">{outcome}</p>
      )}
    </div>
  );
}

const OUTCOMES: Record<string, string | undefined> = {
  loading: "Loading…",
  failed: "Search could not be loaded. Check your connection, then type again.",
};

type OptionProps = ComponentProps<"div"> & { result: SearchResult };

function Option({ result: { title, heading, snippet }, ...option }: OptionProps) {
  return (
    <div
      {...option}
      className="cursor-pointer rounded-control border border-transparent px-3 py-2 aria-selected:border-control aria-selected:bg-surface"
    >
      <span className="block break-words">
        <span className="font-medium">{title}</span>
        {heading ? <span className="text-muted"> › {heading}</span> : null}
      </span>
      <span className="line-clamp-2 text-sm break-words text-muted">{snippet}</span>
    </div>
  );
}

/** `/` leads to the field, unless the reader types or a dialog is open. */
function useSlash(isOn: boolean, field: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    if (!isOn) return;
    const listen = (event: globalThis.KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target } = event;
      if (key !== "/" || ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
      const isWriting = target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
      if (isWriting || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [isOn, field]);
}

type State = "idle" | "loading" | "failed" | "ready";

/** The search of the docs. Its code and its index are loaded when the field is first used; then no server is needed. */
function useSearch() {
  const [state, setState] = useState<State>("idle");
  const engine = useRef<Search>(undefined);
  const load = async () => {
    if (state === "loading" || state === "ready") return;
    setState("loading");
    try {
      const [{ searchOf }, response] = await Promise.all([
        import("@/lib/docs/search"),
        fetch("/docs/search-index.json"),
      ]);
      if (!response.ok) throw new Error(`search-index.json: ${response.status}`);
      engine.current = searchOf(await response.json());
      setState("ready");
    } catch {
      setState("failed");
    }
  };
  const search = (text: string): SearchResult[] => (text.trim() === "" ? [] : (engine.current?.(text) ?? []));
  return { state, load, search };
}
