"use client";

import { usePathname, useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Icon } from "@/app/_components/icon";
import { useActiveOption } from "@/app/_components/use-active-option";
import type { SearchResult } from "@/lib/docs/search";
import { useSearch } from "./use-search";

/** Searches every page and heading in the browser. Without JavaScript it is not shown. */
export function DocsSearch({ hasShortcut }: { hasShortcut: boolean }) {
  const router = useRouter();
  const pathname = usePathname();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const { state, load, search } = useSearch();
  const results = search(text);
  const { listId, active, setPlace, optionId, move } = useActiveOption(results.length);
  const isShown = isOpen && text.trim() !== "";
  const hasList = isShown && results.length > 0;
  const outcome = OUTCOMES[state] ?? "No results. Try fewer words, an error code or the name of a field.";
  useSlash(hasShortcut, field);

  const open = ({ href }: SearchResult) => {
    setText("");
    setIsOpen(false);
    field.current?.blur();
    // The router leaves a page where it stands if only its anchor is the same again.
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
        ref={field}
        type="text"
        role="combobox"
        aria-label="Search the docs"
        aria-expanded={hasList}
        aria-controls={hasList ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={hasList ? optionId(active) : undefined}
        aria-keyshortcuts={hasShortcut ? "/" : undefined}
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
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
          setPlace(0);
        }}
        onKeyDown={answerKey}
        className="peer min-h-9 w-full rounded-control border border-control bg-page ps-8 pe-8 text-lg placeholder:text-muted sm:text-base pointer-coarse:min-h-11"
      />
      {hasShortcut && text === "" ? (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute end-2 top-1/2 -translate-y-1/2 rounded-sm border border-hairline px-1.5 text-xs text-muted peer-focus:hidden pointer-coarse:hidden"
        >
          /
        </span>
      ) : null}
      {isShown ? (
        <div className="absolute inset-x-0 top-full z-20 mt-2 rounded-card border border-control bg-page p-1 shadow-lg lg:end-auto lg:w-[36rem]">
          {hasList ? (
            <div
              id={listId}
              role="listbox"
              aria-label="Results"
              tabIndex={-1}
              // A press must not take the focus from the field.
              onMouseDown={(event) => event.preventDefault()}
              className="max-h-[min(28rem,60dvh)] overflow-y-auto"
            >
              {results.map((result, index) => (
                <Option
                  key={result.href}
                  id={optionId(index)}
                  result={result}
                  isActive={index === active}
                  onPoint={() => setPlace(index)}
                  onChoose={() => open(result)}
                />
              ))}
            </div>
          ) : (
            <p className="px-3 py-6 text-center text-muted">{outcome}</p>
          )}
        </div>
      ) : null}
      <p role="status" className="sr-only">
        {!isShown ? "" : hasList ? `${results.length} ${results.length === 1 ? "result" : "results"}` : outcome}
      </p>
    </search>
  );
}

const OUTCOMES: Record<string, string | undefined> = {
  loading: "Loading…",
  failed: "Search could not be loaded. Check your connection, then type again.",
};

type OptionProps = {
  id: string;
  result: SearchResult;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
};

function Option({ id, result: { title, heading, snippet }, isActive, onPoint, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is the field's, which stays in focus
    // biome-ignore lint/a11y/useFocusableInteractive: as above, the field names the active option
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={onChoose}
      onMouseMove={onPoint}
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
const useSlash = (isOn: boolean, field: { current: HTMLInputElement | null }): void => {
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
};
