import cluster, { type Worker } from "node:cluster";
import { log } from "@/lib/core/log";
import type { PagesState } from "@/lib/core/process-wide";

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
const STEADY_AFTER_MS = 60_000;
/** A worker exits on its own within 30 s. */
const STOP_WITHIN_MS = 32_000;

type Plan = { program: string; args: string[]; count: number };
type Ready = { origin: string };
type Workers = {
  origin: string;
  broadcastPagesState: (state: PagesState) => void;
  /** Makes the workers drain, each on its own clock. */
  drain: () => void;
  stop: () => Promise<void>;
};

/**
 * Runs `count` worker processes on one listening socket, and restarts one that exits. The first must be ready
 * before the others are started; if it fails, this process exits with it.
 */
export async function keepWorkers({ program, args, count }: Plan): Promise<Workers> {
  // Workers accept from the shared socket themselves, so the primary is not between client and worker.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: program, args });
  let isStopping = false;
  let failuresInRow = 0;
  let state: PagesState = "starting";

  const start = (): Promise<string> => {
    const startedAtMs = performance.now();
    const worker = cluster.fork();
    return new Promise<string>((resolve) => {
      worker.on("message", (ready: Ready) => {
        worker.send(state);
        resolve(ready.origin);
      });
      worker.once("exit", (code, signal) => {
        if (isStopping) return;
        const hasWorked = Object.keys(cluster.workers ?? {}).length > 0 || code === null;
        if (!hasWorked && performance.now() - startedAtMs < STEADY_AFTER_MS) process.exit(code ?? 1);
        failuresInRow = performance.now() - startedAtMs > STEADY_AFTER_MS ? 0 : failuresInRow + 1;
        const pauseMs = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failuresInRow);
        log("error", "worker.ended", { pid: worker.process.pid, code, signal, pauseMs });
        // The next one is ready in place of this one, where this one never was.
        setTimeout(() => isStopping || resolve(start()), pauseMs);
      });
    });
  };

  const origin = await start();
  for (let more = 1; more < count; more++) await start();
  return {
    origin,
    broadcastPagesState: (next) => {
      state = next;
      for (const worker of running()) worker.send(state, () => {});
    },
    drain: () => {
      isStopping = true;
      for (const worker of running()) worker.process.kill("SIGTERM");
    },
    stop: async () => {
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
      await Promise.all(running().map(ended));
    },
  };
}

/** Reports a worker's address to the primary, and subscribes to the state of the pages. */
export function announceToPrimary(origin: string, onPagesState: (state: PagesState) => void): void {
  process.on("message", onPagesState);
  process.send?.({ origin } satisfies Ready);
}

const running = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

const ended = (worker: Worker): Promise<unknown> =>
  new Promise((resolve) => {
    worker.once("exit", resolve);
    // Also closes the primary's copy of the listening socket: it accepts nothing and would close it last.
    worker.disconnect();
  });
