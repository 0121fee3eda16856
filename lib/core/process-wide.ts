import { env } from "./env";

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

/**
 * Start errors of a process that a host such as Vercel runs: it must not exit, so what needs the missing part returns 503.
 * Our own server refuses to start instead.
 */
type StartFault = {
  /** The message of an invalid environment. */
  environment?: string;
  /** Rejects while the database must not be used; tries again by itself, and is removed once all is well. */
  requireDatabase?: () => Promise<void>;
};

export const startFault = processWide("start-fault", (): StartFault => ({}));

export type PagesState = "ok" | "starting" | "busy";

/** State of a self-hosted server process, set by `server.ts` and `pages.ts`. */
export type FrontDoor = {
  /** Where the server listens, such as `http://127.0.0.1:3000`. */
  origin: string;
  /** Called once environment and schema are checked: requests can be accepted. */
  open?: () => void;
  /** Work to finish within two seconds between the last response and the exit. */
  stopWork?: (() => Promise<unknown>)[];
  pagesState?: () => PagesState;
  /** Whether SIGTERM has arrived: balancers should send no more, calls are still served. */
  isDraining?: () => boolean;
  /** The page process's socket: for its own requests, which bypass the front door's queue, and to find its siblings' metrics. */
  pagesSocket?: string;
  noteDatabaseFailure?: () => void;
  /** Responds before Next; undefined if Next must handle the request. */
  serveCachedPage?: unknown;
};

const door = processWide("front-door", (): { of?: FrontDoor } => ({}));

export function setFrontDoor(given: FrontDoor): void {
  door.of = given;
}

/** Undefined if Next runs alone, as on Vercel. */
export function frontDoor(): FrontDoor | undefined {
  return door.of;
}

/** Returns this deployment's own URL: loopback if possible, because the public URL may lead through a proxy. */
export function ownOrigin(): string {
  return door.of?.origin ?? env().APP_URL;
}

export function hasFrontDoor(): boolean {
  return door.of !== undefined;
}

export function beforeStop(work: () => Promise<void>): void {
  door.of?.stopWork?.push(work);
}

// In development the start, which delivers, and the routes are two bundles of one process.
const listener = processWide("events-written", () => ({ wake: () => {} }));

/** Calls `wake` whenever this process has written statuses, which may be events for partners' endpoints. */
export function onEvents(wake: () => void): void {
  listener.wake = wake;
}

/** Announces that statuses were committed. Other processes find the events at their next poll. */
export function eventsWritten(): void {
  listener.wake();
}

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
