import { env } from "./env";

const FRONT_DOOR = Symbol.for("switchboard.frontDoor");

export type PagesState = "ok" | "starting" | "busy";

/** What a process of a self-hosted server knows of itself: `server.ts` and `pages.ts` write it. */
export type FrontDoor = {
  /** Where the server listens, such as `http://127.0.0.1:3000`. */
  origin: string;
  /** The environment and the schema are right: requests may come. */
  open?: () => void;
  /** What is to do, two seconds at most, between the last answer and the end of the process. */
  stopWork?: (() => Promise<unknown>)[];
  pagesState?: () => PagesState;
  /** Where the page process takes requests of its own, which need no place at the front door. */
  pagesSocket?: string;
  noteDatabaseFailure?: () => void;
  /** Gives an answer before Next is asked; undefined where Next must answer. */
  answerFirst?: unknown;
};

export function setFrontDoor(door: FrontDoor): void {
  void Reflect.set(globalThis, FRONT_DOOR, door);
}

/** Undefined where Next runs by itself, as on Vercel. The framework's bundles share it with ours through the global object. */
export function frontDoor(): FrontDoor | undefined {
  return Reflect.get(globalThis, FRONT_DOOR);
}

/** How this deployment reaches itself: over loopback where possible, because the public address may lead through a proxy. */
export function ownOrigin(): string {
  return frontDoor()?.origin ?? env().APP_URL;
}

export function hasFrontDoor(): boolean {
  return frontDoor() !== undefined;
}

export function beforeStop(work: () => Promise<void>): void {
  void frontDoor()?.stopWork?.push(work);
}
