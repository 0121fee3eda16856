import { AsyncLocalStorage } from "node:async_hooks";
import { env } from "@/lib/env";

const FRONT_DOOR = Symbol.for("switchboard.frontDoor");

/** Where this process itself listens (`origin`, such as `http://127.0.0.1:3000`), if `server.mjs` started it. */
export const frontDoor = (): { origin: string } | undefined => {
  const door: unknown = Reflect.get(globalThis, FRONT_DOOR);
  if (typeof door !== "object" || door === null || !("origin" in door)) return undefined;
  return typeof door.origin === "string" ? { origin: door.origin } : undefined;
};

/** How this process reaches itself: over loopback where possible, because the public address may lead through a proxy. */
export const ownOrigin = (): string => frontDoor()?.origin ?? env().APP_URL;

export const hasFrontDoor = (): boolean => frontDoor() !== undefined;

/** Tells `server.mjs` that the environment and the schema are right: until then it lets no request through. */
export const openFrontDoor = (): void => {
  const door: unknown = Reflect.get(globalThis, FRONT_DOOR);
  if (typeof door === "object" && door !== null && "open" in door && typeof door.open === "function") door.open();
};

/** Reports to `server.mjs` that the current request fails because of our database, so that a page that Next answers 500 is a 503. */
export const noteDatabaseFailure = (): void => {
  const door: unknown = Reflect.get(globalThis, FRONT_DOOR);
  if (typeof door !== "object" || door === null || !("failures" in door)) return;
  const failure: unknown = door.failures instanceof AsyncLocalStorage ? door.failures.getStore() : undefined;
  if (typeof failure === "object" && failure !== null) Object.assign(failure, { isOfDatabase: true });
};

/** What `server.mjs` asks for an answer before Next is; it returns undefined where Next must answer. */
export const answerFirst = (answer: unknown): void => {
  const door: unknown = Reflect.get(globalThis, FRONT_DOOR);
  if (typeof door === "object" && door !== null) Reflect.set(door, "answerFirst", answer);
};

/** What `server.mjs` waits for, two seconds at most, between its last answer and its end. */
export const beforeStop = (work: () => Promise<void>): void => {
  const door: unknown = Reflect.get(globalThis, FRONT_DOOR);
  if (typeof door === "object" && door !== null && "stopWork" in door && Array.isArray(door.stopWork)) {
    door.stopWork.push(work);
  }
};
