"use client";

import { useSyncExternalStore } from "react";

/** The id of the message that was sent or read last on this page, for the form that reads one. */
export function useLastMessage(): [string, (id: string) => void] {
  return [
    useSyncExternalStore(
      subscribe,
      () => last,
      () => "",
    ),
    remember,
  ];
}

let last = "";
const listeners = new Set<() => void>();

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const remember = (id: string): void => {
  last = id;
  for (const listener of listeners) listener();
};
