/** Registers `work` with Vercel, which otherwise stops a function once it has responded. A no-op elsewhere. */
export function keepFunctionAlive(work: Promise<unknown>): void {
  requestContext()?.waitUntil(work);
}

/** Whether work can be registered: on Vercel, within a request. */
export function canKeepFunctionAlive(): boolean {
  return requestContext() !== undefined;
}

function requestContext() {
  const store: unknown = Reflect.get(globalThis, Symbol.for("@vercel/request-context"));
  const context = hasMethod(store, "get") ? store.get() : undefined;
  return hasMethod(context, "waitUntil") ? context : undefined;
}

const hasMethod = <N extends string>(value: unknown, name: N): value is Record<N, (argument?: unknown) => unknown> =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
