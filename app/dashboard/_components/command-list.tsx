"use client";

import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { readData } from "@/app/_components/api-call";
import { Icon, type IconName } from "@/app/_components/icon";
import { useActiveOption } from "@/app/_components/use-active-option";
import { fold } from "@/lib/core/fold";

export type Command = { group: string; icon: IconName; word: string; act: () => void; staysOpen?: boolean };

type Choice = { group: string; icon: IconName; word: string; detail?: string; choose: () => void };

type Props = {
  workspaceId: string;
  commands: Command[];
  onChosen: (command: Command) => void;
  onFound: (path: string) => void;
};

/** A field and the list that it narrows: pages by their words, anything else by its id, name or phone. */
export function CommandList({ workspaceId, commands, onChosen, onFound }: Props) {
  const [text, setText] = useState("");
  const matching = commands.filter(({ word }) => matches(word, text));
  const search = useFound(workspaceId, text);
  const choices: Choice[] = [
    ...matching.map((command) => ({ ...command, choose: () => onChosen(command) })),
    ...search.found.map(({ word, detail, path }) => ({
      group: "Found",
      icon: "search" as const,
      word,
      detail,
      choose: () => onFound(path),
    })),
  ];
  const { active, toFirst, move, field, list, option } = useActiveOption(choices.length);

  const answerKey = (event: KeyboardEvent) => {
    move(event);
    if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      // Pasting an id and pressing Enter at once selects what is about to be found.
      if (choices[active]) choices[active].choose();
      else search.whenFound((path) => onFound(path));
    }
  };

  return (
    <>
      <input
        {...field}
        aria-label="Page, name, id or phone"
        placeholder="Page, name, phone, any id or error code"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          toFirst();
        }}
        onKeyDown={answerKey}
        className="min-h-11 w-full rounded-control border border-control bg-page px-3 pointer-coarse:text-[1rem]"
      />
      <div {...list} className="mt-3 h-[min(24rem,50dvh)] overflow-y-auto">
        {choices.map((choice, index) => (
          <div key={`${choice.group} ${choice.word} ${choice.detail ?? ""}`}>
            {choice.group === choices[index - 1]?.group ? null : (
              <p aria-hidden="true" className="px-2 pt-2 pb-1 text-sm font-medium text-muted">
                {choice.group}
              </p>
            )}
            <Option {...choice} {...option(index)} />
          </div>
        ))}
        {choices.length === 0 ? (
          // The status below is what is read aloud.
          <p aria-hidden="true" className="px-2 py-6 text-center text-muted">
            {search.word}
          </p>
        ) : null}
      </div>
      <p role="status" className="sr-only">
        {choices.length === 0 ? search.word : `${choices.length} ${choices.length === 1 ? "result" : "results"}`}
      </p>
    </>
  );
}

type OptionProps = Choice & ComponentProps<"div">;

function Option({ group: _, icon, word, detail, choose, ...option }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is the field's, which stays in focus
    // biome-ignore lint/a11y/noStaticElementInteractions: its role comes with `option`
    <div
      {...option}
      onClick={choose}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control border border-transparent px-2 py-1 aria-selected:border-control aria-selected:bg-surface pointer-coarse:min-h-11"
    >
      <Icon name={icon} className="text-muted" />
      <span className="min-w-0">
        <span className="block">{word}</span>
        {detail ? <span className="block font-mono text-sm break-all text-muted">{detail}</span> : null}
      </span>
    </div>
  );
}

/** True if every word of the text is part of the page's name. */
const matches = (word: string, text: string): boolean =>
  fold(text)
    .split(" ")
    .every((part) => fold(word).includes(part));

const MIN_CHARACTERS = 2;
const PAUSE_MS = 150;

type Found = { word: string; detail: string; path: string };
type Outcome = { text: string; found: Found[]; hasFailed: boolean };

const NOTHING: Outcome = { text: "", found: [], hasFailed: false };

/** What the workspace has by an id or a phone, asked for once the user stops typing. */
function useFound(workspaceId: string, given: string) {
  const text = given.trim();
  const [outcome, setOutcome] = useState(NOTHING);
  const awaiting = useRef<((path: string) => void) | undefined>(undefined);
  const isTooShort = text.length < MIN_CHARACTERS;

  useEffect(() => {
    awaiting.current = undefined;
    if (isTooShort) return;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const route = `/api/v1/workspaces/${workspaceId}/search?${new URLSearchParams({ q: text })}`;
      const data = await readData<{ found: Found[] }>(route, { signal: abort.signal });
      if (abort.signal.aborted) return;
      const found = data?.found ?? [];
      setOutcome({ text, found, hasFailed: data === undefined });
      const [first] = found;
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
      ? "No page found. Type at least 2 characters to search names, phone numbers and ids."
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
