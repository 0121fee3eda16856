/**
 * When an answer has to be there, on this process's monotonic clock: nobody sets it back. One deadline travels with a
 * request through all its steps, each of which may take what is left.
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

  /** This one, or `ms` from now where that is sooner. */
  within(ms: number): Deadline {
    return new Deadline(Math.min(this.atMs, performance.now() + ms));
  }

  /**
   * Settles as `answer` does, or rejects with `failure` once the time is over. An answer that has arrived by then is read
   * first: it was this process that was busy.
   */
  async bound<T>(answer: Promise<T>, failure: () => Error): Promise<T> {
    // Once the deadline has passed no one waits for the answer any more, and its failure must not end the process.
    answer.catch(() => {});
    let stop = () => {};
    const end = new Promise<never>((_, reject) => {
      stop = this.after(() => reject(failure()));
    });
    return Promise.race([answer, end]).finally(stop);
  }

  /** Calls `act` once the time is over and what has arrived by then is read. The returned function prevents it. */
  after(act: () => unknown): () => void {
    let isStopped = false;
    const timer = setTimeout(() => setImmediate(() => isStopped || act()), this.leftMs);
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }
}
