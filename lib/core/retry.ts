import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "./deadline";

export type RetryOptions = {
  /** Attempts in all, 1 at least. */
  attempts: number;
  /** Whether a further attempt may do better than the one that failed so. */
  isWorth: (error: unknown) => boolean;
  /** Milliseconds before the next attempt, by how many were made. None by default. */
  pauseMs?: (made: number) => number;
  /** No further attempt begins with less than `leastMs` before it. */
  deadline?: Deadline;
  leastMs?: number;
};

/**
 * Runs `work` until it succeeds, and rejects as its last attempt did. Guarantees: never two attempts at once, never more
 * than `attempts`, and none after a failure that is not worth it or a deadline that is too near. A pause keeps no process
 * alive. `work` gets the number of the attempt, from 1.
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  { attempts, isWorth, pauseMs, deadline, leastMs = 0 }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      const ms = pauseMs?.(attempt) ?? 0;
      const isLate = deadline !== undefined && deadline.leftMs < ms + leastMs;
      if (attempt >= attempts || isLate || !isWorth(error)) throw error;
      if (ms > 0) await sleep(ms, undefined, { ref: false });
    }
  }
}
