import { env } from "./env";
import { processWide } from "./process-wide";

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
