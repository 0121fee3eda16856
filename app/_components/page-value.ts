/** A value that the parts of a page share, for `useSyncExternalStore`. */
export function pageValue<Value>(first: () => Value) {
  let value: { is: Value } | undefined;
  const listeners = new Set<() => void>();
  return {
    get: (): Value => {
      value ??= { is: first() };
      return value.is;
    },
    set: (next: Value): void => {
      value = { is: next };
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
