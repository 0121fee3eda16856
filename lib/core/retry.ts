import { setTimeout as sleep } from "node:timers/promises";
import type { Deadline } from "./deadline";

export type RetryOptions = {
  /** Attempts in all, 1 at least. */
  attempts: number;
  /** Whether the error is worth another attempt. */
  isWorth: (error: unknown) => boolean;
  /** Milliseconds before the next attempt, given the number made so far. 0 by default. */
  pauseMs?: (made: number) => number;
  /** No further attempt starts with less than `leastMs` left. */
  deadline?: Deadline;
  leastMs?: number;
};

/**
 * Runs `work` until it succeeds, and rejects with the last error. Guarantees: no concurrent attempts, never more
 * than `attempts`, and none after a non-retryable failure or too close to the deadline. A pause keeps no
 * process alive. `work` receives the attempt number, from 1.
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
