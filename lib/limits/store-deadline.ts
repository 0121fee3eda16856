import { performance } from "node:perf_hooks";

/** However busy this process is, nothing waits longer for a store. */
const MAX_WALL_MS = 2_200;

/**
 * Rejects when there is no answer after `idleMs` in which this process had nothing else to do: time in which it was busy
 * is its own and not the store's. Up to 2.2 s in all.
 */
export async function withinStoreDeadline<T>(answer: Promise<T>, idleMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  answer.catch(() => {});
  const startedAtMs = performance.now();
  const loopAtStart = performance.eventLoopUtilization();
  const deadline = new Promise<never>((_, reject) => {
    const check = () => {
      const idleLeftMs = idleMs - performance.eventLoopUtilization(loopAtStart).idle;
      const leftMs = Math.min(idleLeftMs, MAX_WALL_MS - (performance.now() - startedAtMs));
      if (leftMs < 1) return reject(new Error(`the limiter's store did not answer in ${idleMs} ms`));
      timer = setTimeout(check, leftMs);
    };
    timer = setTimeout(check, idleMs);
  });
  try {
    return await Promise.race([answer, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
