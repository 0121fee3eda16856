"use client";

import { type ComponentProps, type KeyboardEvent, useEffect, useId, useState } from "react";

/**
 * A field that keeps the focus, and the list of options below it: the arrow keys move the active one, and the list
 * scrolls to it. The props go to the field, the list and its options.
 */
export function useActiveOption(count: number, isOpen = true) {
  const listId = useId();
  const [place, setPlace] = useState(0);
  const active = Math.min(place, count - 1);
  const optionId = (index: number) => `${listId}-${index}`;

  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, active]);

  return {
    active,
    toFirst: () => setPlace(0),
    move: (event: KeyboardEvent) => {
      const to = MOVES[event.key];
      if (!to || count === 0) return;
      event.preventDefault();
      setPlace(to(active, count));
    },
    field: {
      type: "text",
      role: "combobox",
      "aria-expanded": isOpen,
      "aria-controls": isOpen ? listId : undefined,
      "aria-autocomplete": "list",
      "aria-activedescendant": isOpen && count > 0 ? optionId(active) : undefined,
      autoComplete: "off",
      spellCheck: false,
    } satisfies ComponentProps<"input">,
    list: {
      id: listId,
      role: "listbox",
      "aria-label": "Results",
      tabIndex: -1,
      // A press must not take the focus from the field.
      onMouseDown: (event) => event.preventDefault(),
    } satisfies ComponentProps<"div">,
    option: (index: number): ComponentProps<"div"> => ({
      id: optionId(index),
      role: "option",
      "aria-selected": index === active,
      onMouseMove: () => setPlace(index),
    }),
  };
}

const MOVES: Record<string, (from: number, count: number) => number> = {
  ArrowDown: (from, count) => (from + 1) % count,
  ArrowUp: (from, count) => (from + count - 1) % count,
  PageDown: (from, count) => Math.min(from + 8, count - 1),
  PageUp: (from) => Math.max(from - 8, 0),
};
