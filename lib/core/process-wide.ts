/**
 * One value for the whole process. Next loads a module once for pages, once for routes and once at the start; use it only
 * for what the process has once and more than one of them uses, such as connections, threads and memory.
 */
export function processWide<T>(name: string, make: () => T): T {
  const all: Record<symbol, unknown> = globalThis as never;
  const key = Symbol.for(`switchboard.${name}`);
  all[key] ??= make();
  return all[key] as T;
}

/** Sets `key` as the newest entry of a map, and drops the oldest one beyond `most`. */
export function setNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
