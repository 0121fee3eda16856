import cluster, { type Worker } from "node:cluster";
import { errorFields, log } from "@/lib/core/log";
import type { PagesState } from "@/lib/core/own-server";
import type { Stoppable } from "./stop";

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
const STEADY_AFTER_MS = 60_000;
/** A worker exits on its own within 30 s. */
const STOP_WITHIN_MS = 32_000;

type Plan = { program: string; args: string[]; count: number; onStopped: () => void };
type Ready = { origin: string };
type Workers = Stoppable & {
  /** The address of the first one that is ready. */
  origin: Promise<string>;
  /** Resolves when all are ready. */
  ready: Promise<void>;
  broadcastPagesState: (state: PagesState) => void;
};

/**
 * Runs `count` worker processes on one listening socket, and restarts one that exits. Each has a `--slot` from 1, which the
 * process that replaces it takes over. The first must be ready before the others are started; if it fails, this process exits with it. `onStopped` is called when all have exited
 * after `drain`, each on its own clock, or `close`; both may be called at any time.
 */
export function keepWorkers({ program, args, count, onStopped }: Plan): Workers {
  // Workers accept from the shared socket themselves, so the primary is not between client and worker.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Cluster's own list has no worker that was asked to disconnect, and has one that ended for a moment longer.
  const running = new Set<Worker>();
  let isStopping = false;
  let failuresInRow = 0;
  let state: PagesState = "starting";

  const start = (slot: number): Promise<string> => {
    const startedAtMs = performance.now();
    // Of the workers that are forked from now on.
    cluster.setupPrimary({ exec: program, args: [...args, "--slot", `${slot}`] });
    const worker = cluster.fork();
    running.add(worker);
    // A message to one that has just ended is an error, too; its exit says the rest.
    worker.on("error", (error) => isStopping || log("error", "worker.failed", errorFields(error)));
    return new Promise<string>((resolve) => {
      worker.on("message", (ready: Ready) => {
        worker.send(state, () => {});
        resolve(ready.origin);
      });
      worker.once("exit", (code, signal) => {
        running.delete(worker);
        if (isStopping) return stopIfLast();
        const hasWorked = running.size > 0 || code === null;
        if (!hasWorked && performance.now() - startedAtMs < STEADY_AFTER_MS) process.exit(code ?? 1);
        failuresInRow = performance.now() - startedAtMs > STEADY_AFTER_MS ? 0 : failuresInRow + 1;
        const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failuresInRow);
        log("error", "worker.ended", { slot, pid: worker.process.pid, code, signal, pauseMs });
        // The next one is ready in place of this one, where this one never was.
        setTimeout(() => isStopping || resolve(start(slot)), pauseMs);
      });
    });
  };
  const stopIfLast = () => {
    if (running.size === 0) onStopped();
  };
  const startOthers = async () => {
    for (let slot = 2; slot <= count && !isStopping; slot++) await start(slot);
  };

  const origin = start(1);
  return {
    origin,
    ready: origin.then(startOthers),
    broadcastPagesState: (next) => {
      state = next;
      for (const worker of running) worker.send(state, () => {});
    },
    drain: () => {
      isStopping = true;
      for (const worker of running) worker.process.kill("SIGTERM");
      stopIfLast();
    },
    close: () => {
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
      // Also closes the primary's copy of the listening socket: it accepts nothing and would close it last.
      for (const worker of running) worker.disconnect();
    },
  };
}

/** Reports a worker's address to the primary, and subscribes to the state of the pages. */
export function announceToPrimary(origin: string, onPagesState: (state: PagesState) => void): void {
  process.on("message", onPagesState);
  process.send?.({ origin } satisfies Ready, undefined, undefined, () => {});
}
