const REQUEST_CONTEXT = Symbol.for("@vercel/request-context");

/** Vercel stops a function at its answer unless it is given what is still under way; elsewhere the process lives on. */
export function keepAlive(work: Promise<unknown>): void {
  const store: unknown = Reflect.get(globalThis, REQUEST_CONTEXT);
  if (!hasMethod(store, "get")) return;
  const context = store.get();
  if (hasMethod(context, "waitUntil")) context.waitUntil(work);
}

const hasMethod = <N extends string>(value: unknown, name: N): value is Record<N, (argument?: unknown) => unknown> =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
