import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "@/lib/core/process-wide";

/** Not before a list is read on a replica: the API's process never has it, and following every call costs CPU. */
const reading = processWide("reading-replica", (): { of?: AsyncLocalStorage<true> } => ({}));

/** The pool of statements that name none. */
export function ambientPool(): "requests" | "replica" {
  return reading.of?.getStore() ? "replica" : "requests";
}

/** Runs `work` so that its reads which name no pool are made on the replica. */
export function onReplica<T>(work: () => Promise<T>): Promise<T> {
  reading.of ??= new AsyncLocalStorage();
  return reading.of.run(true, work);
}
