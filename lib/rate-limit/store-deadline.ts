import { performance } from "node:perf_hooks";

const MAX_WALL_MS = 5_000;
/** However busy this process is: who was answered by nobody for so long must leave its request time for a 503. */
const MAX_SILENT_WALL_MS = 2_200;
/** How often one that is late, but alive, is looked at again: who waits for it pays at most this much for its silence. */
const LOOK_AGAIN_MS = 100;

/**
 * Rejects when there is no answer after `idleMs` in which this process had nothing else to do: time in which it was
 * busy is its own and not the store's, up to 2.2 s in all. A store that `isAlive`, so that only its queue is long, has
 * up to 5 s.
 */
export const withinStoreDeadline = async <T>(
  answer: Promise<T>,
  { idleMs, isAlive }: { idleMs: number; isAlive: () => boolean },
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  answer.catch(() => {});
  const startedAtMs = performance.now();
  const loopAtStart = performance.eventLoopUtilization();
  const deadline = new Promise<never>((_, reject) => {
    const check = () => {
      const waitedMs = performance.now() - startedAtMs;
      const idleLeftMs = idleMs - performance.eventLoopUtilization(loopAtStart).idle;
      const leftMs = Math.min(idleLeftMs, MAX_SILENT_WALL_MS - waitedMs);
      const isOver = leftMs < 1 && !isAlive();
      if (isOver || waitedMs >= MAX_WALL_MS) {
        return reject(new Error(`the limiter's store did not answer in ${idleMs} ms`));
      }
      timer = setTimeout(check, leftMs < 1 ? LOOK_AGAIN_MS : leftMs);
    };
    timer = setTimeout(check, idleMs);
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
