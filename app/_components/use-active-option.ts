"use client";

import { type KeyboardEvent, useEffect, useId, useState } from "react";

/** The active option of a list whose field keeps the focus: the arrow keys move it, and the list scrolls to it. */
export function useActiveOption(count: number) {
  const listId = useId();
  const [place, setPlace] = useState(0);
  const active = Math.min(place, count - 1);

  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, active]);

  return {
    listId,
    active,
    setPlace,
    optionId: (index: number) => `${listId}-${index}`,
    move: (event: KeyboardEvent) => {
      const to = MOVES[event.key];
      if (!to || count === 0) return;
      event.preventDefault();
      setPlace(to(active, count));
    },
  };
}

const MOVES: Record<string, (from: number, count: number) => number> = {
  ArrowDown: (from, count) => (from + 1) % count,
  ArrowUp: (from, count) => (from + count - 1) % count,
  PageDown: (from, count) => Math.min(from + 8, count - 1),
  PageUp: (from) => Math.max(from - 8, 0),
};
