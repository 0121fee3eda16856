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
