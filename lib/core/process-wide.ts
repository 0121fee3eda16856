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
