import cluster, { type Worker } from "node:cluster";
import type { PagesState } from "@/lib/core/front-door";
import { log } from "@/lib/core/log";

const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 30_000;
const STEADY_AFTER_MS = 60_000;
/** A worker stops within 30 s by itself. */
const STOP_WITHIN_MS = 32_000;

type Ready = { origin: string };
type Workers = { origin: string; broadcastPagesState: (state: PagesState) => void; stop: () => Promise<void> };

/**
 * Runs `count` processes of a program on one listening socket, and replaces one that ends. The first must take requests
 * before the others are started: where it cannot, nothing is left to say and this process ends with it.
 */
export async function keepWorkers({
  program,
  args,
  count,
}: {
  program: string;
  args: string[];
  count: number;
}): Promise<Workers> {
  // Each takes connections out of one queue, as processes do that share no memory: no primary between client and worker.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: program, args });
  let isStopping = false;
  let failuresInRow = 0;
  let state: PagesState = "starting";

  const start = async (): Promise<string> => {
    const startedAtMs = performance.now();
    const worker = cluster.fork();
    const origin = new Promise<string>((resolve) => {
      worker.on("message", (ready: Ready) => {
        worker.send(state);
        resolve(ready.origin);
      });
    });
    worker.once("exit", (code, signal) => {
      if (isStopping) return;
      const hasWorked = Object.keys(cluster.workers ?? {}).length > 0 || code === null;
      if (!hasWorked && performance.now() - startedAtMs < STEADY_AFTER_MS) process.exit(code ?? 1);
      failuresInRow = performance.now() - startedAtMs > STEADY_AFTER_MS ? 0 : failuresInRow + 1;
      const pauseMs = Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS * 2 ** failuresInRow);
      log("error", "worker.ended", { pid: worker.process.pid, code, signal, pauseMs });
      setTimeout(() => isStopping || void start(), pauseMs);
    });
    return origin;
  };

  const origin = await start();
  for (let more = 1; more < count; more++) await start();
  return {
    origin,
    broadcastPagesState: (next) => {
      state = next;
      for (const worker of running()) worker.send(state, () => {});
    },
    stop: async () => {
      isStopping = true;
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
      await Promise.all(running().map(ended));
    },
  };
}

/** A worker says where it takes requests, and is notified how the pages are. */
export function announceToPrimary(origin: string, onPagesState: (state: PagesState) => void): void {
  process.on("message", onPagesState);
  process.send?.({ origin } satisfies Ready);
}

const running = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

const ended = (worker: Worker): Promise<unknown> =>
  new Promise((resolve) => {
    worker.once("exit", resolve);
    // Closes this process's copy of the listening socket, too: it takes nothing out of the queue, and would close it last.
    worker.disconnect();
    worker.process.kill("SIGTERM");
  });
