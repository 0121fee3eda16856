import { setTimeout as sleep } from "node:timers/promises";
/**
 * When a response is due, on the monotonic clock, which is never adjusted. One deadline is passed along with a
 * request through all its steps, each of which may use the remaining time.
 */
export class Deadline {
  /** `atMs` as `performance.now()` counts. */
  private constructor(private readonly atMs: number) {}

  static at(atMs: number): Deadline {
    return new Deadline(atMs);
  }

  static in(ms: number): Deadline {
    return new Deadline(performance.now() + ms);
  }

  /** Milliseconds, 0 at least. */
  get leftMs(): number {
    return Math.max(0, this.atMs - performance.now());
  }

  get isOver(): boolean {
    return this.leftMs === 0;
  }

  /** Returns the earlier of this deadline and `ms` from now. */
  within(ms: number): Deadline {
    return new Deadline(Math.min(this.atMs, performance.now() + ms));
  }

  /**
   * Settles as `answer` does, or rejects with `failure` at the deadline. An answer that has arrived by then is read
   * first, because only this process was too busy to read it.
   */
  bound<T>(answer: Promise<T>, failure: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = this.after(() => reject(failure()));
      // Also takes a rejection after the deadline, which must not end the process.
      answer.then(
        (value) => {
          stop();
          resolve(value);
        },
        (error: unknown) => {
          stop();
          reject(error);
        },
      );
    });
  }

  /** Calls `act` at the deadline, after pending I/O was read. The returned function cancels it. */
  after(act: () => unknown): () => void {
    let isStopped = false;
    const timer = setTimeout(() => setImmediate(() => isStopped || act()), this.leftMs);
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }
}

export type RetryOptions = {
  /** Attempts in all, 1 at least. */
  attempts: number;
  /** Whether the error is worth another attempt. */
  retryIf: (error: unknown) => boolean;
  /** Milliseconds before the next attempt, given the number made so far. 0 by default. */
  pauseMs?: (made: number) => number;
  /** No further attempt starts with less than `minRemainingMs` left. */
  deadline?: Deadline;
  minRemainingMs?: number;
};

/**
 * Runs `work` until it succeeds, and rejects with the last error. Guarantees: no concurrent attempts, never more
 * than `attempts`, and none after a non-retryable failure or too close to the deadline. A pause keeps no
 * process alive. `work` receives the attempt number, from 1.
 */
export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  { attempts, retryIf, pauseMs, deadline, minRemainingMs = 0 }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      const ms = pauseMs?.(attempt) ?? 0;
      const isLate = (pauseMs: number) => deadline !== undefined && deadline.leftMs < pauseMs + minRemainingMs;
      if (attempt >= attempts || isLate(ms) || !retryIf(error)) throw error;
      if (ms > 0) await sleep(ms, undefined, { ref: false });
      // A busy process wakes up late.
      if (isLate(0)) throw error;
    }
  }
}
