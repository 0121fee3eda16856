"use client";

import { type KeyboardEvent, useState } from "react";
import { Icon, type IconName } from "@/app/_components/icon";
import { useActiveOption } from "@/app/_components/use-active-option";
import { useFound } from "./use-found";

export type Command = { group: string; icon: IconName; word: string; act: () => void; staysOpen?: boolean };

type Choice = { group: string; icon: IconName; word: string; detail?: string; choose: () => void };

type Props = {
  workspaceId: string;
  commands: Command[];
  onChosen: (command: Command) => void;
  onFound: (path: string) => void;
};

/** A field and the list that it narrows: pages by their words, anything else by its id or phone. */
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
  const { listId, active, setPlace, optionId, move } = useActiveOption(choices.length);

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
        type="text"
        data-first-focus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? optionId(active) : undefined}
        aria-label="Page, id or phone"
        placeholder="Page, any id, idempotency key or phone"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={answerKey}
        className="min-h-11 w-full rounded-control border border-control bg-page px-3 text-lg"
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="mt-3 h-[min(24rem,50dvh)] overflow-y-auto"
      >
        {choices.map((choice, index) => (
          <div key={`${choice.group} ${choice.word} ${choice.detail ?? ""}`}>
            {choice.group === choices[index - 1]?.group ? null : (
              <p aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
                {choice.group}
              </p>
            )}
            <Option id={optionId(index)} choice={choice} isActive={index === active} onPoint={() => setPlace(index)} />
          </div>
        ))}
        {choices.length === 0 ? <p className="px-2 py-6 text-center text-muted">{search.word}</p> : null}
      </div>
      <p role="status" className="sr-only">
        {choices.length === 0 ? search.word : `${choices.length} ${choices.length === 1 ? "result" : "results"}`}
      </p>
    </>
  );
}

type OptionProps = { id: string; choice: Choice; isActive: boolean; onPoint: () => void };

function Option({ id, choice: { icon, word, detail, choose }, isActive, onPoint }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard is the field's, which stays in focus
    // biome-ignore lint/a11y/useFocusableInteractive: as above, the field names the active option
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onClick={choose}
      onMouseMove={onPoint}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-control border border-transparent px-2 py-1 aria-selected:border-control aria-selected:bg-surface pointer-coarse:min-h-11"
    >
      <Icon name={icon} className="text-muted" />
      <span className="min-w-0">
        <span className="block">{word}</span>
        {detail ? <span className="block font-mono text-xs break-all text-muted">{detail}</span> : null}
      </span>
    </div>
  );
}

/** Every word of the text begins a word of the page's name, or stands in it. */
const matches = (word: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => word.toLowerCase().includes(part));
