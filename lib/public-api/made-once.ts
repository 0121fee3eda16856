const made = new Map<string, unknown>();

/** Builds a public file once per process, at its first request: it depends on the deployment only. */
export function madeOnce<T>(name: string, make: () => T): T {
  if (!made.has(name)) made.set(name, make());
  return made.get(name) as T;
}
