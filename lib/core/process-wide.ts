/**
 * One value for the whole process. The framework may load a module once for pages, once for routes and once at the
 * start; pools, breakers and counters must not multiply with it.
 */
export function processWide<T>(name: string, make: () => T): T {
  const all: Record<symbol, unknown> = globalThis as never;
  const key = Symbol.for(`switchboard.${name}`);
  all[key] ??= make();
  return all[key] as T;
}
