export type BatcherOptions<In> = {
  /** Maximum batch size, as the sum of `sizeOf`. A larger input gets its own batch. */
  most?: number;
  sizeOf?: (input: In) => number;
  /** Concurrent batches of one key. */
  atOnce?: number;
  /** Minimum milliseconds between the starts of two batches of one key, unless the next is full. */
  apartMs?: number;
  /** What a failure rejects: the batch, the batch and all waiting callers, or none, with a separate run for each. */
  failureOf?: (error: unknown) => "batch" | "all" | "alone";
};

/** A caller that can give up; an AbortSignal is one. */
type Signal = Pick<AbortSignal, "aborted" | "reason">;

/** Only callers with the same `key` share a batch. An input whose `signal` is aborted before its batch is skipped. */
export type Batcher<In, Out> = (input: In, options?: { key?: string; signal?: Signal }) => Promise<Out>;

type Caller<In, Out> = {
  input: In;
  signal: Signal | undefined;
  resolve: (output: Out) => void;
  reject: (error: unknown) => void;
};

/**
 * Batches concurrent calls. The first caller of a key runs at once; those who come while `atOnce` run, or within
 * `apartMs` of the last, wait for the next batch, in order of arrival. `run` returns an output for each
 * input, in the same order. Guarantees: every input is in one batch that began after the call, and no batch exceeds
 * `most`. Rejects as `run` does, or with the signal's reason if the caller aborted.
 */
export function batcher<In, Out>(
  run: (inputs: In[], key: string) => Promise<Out[]>,
  { most = 500, sizeOf = () => 1, atOnce = 1, apartMs = 0, failureOf = () => "batch" }: BatcherOptions<In> = {},
): Batcher<In, Out> {
  const lines = new Map<string, Line<In, Out>>();
  const options = { most, sizeOf, atOnce, apartMs, failureOf };
  const lineOf = (key: string) => {
    // Idle keys are removed, except with `apartMs`: there are few then, and the last start must be remembered.
    const onIdle = () => apartMs === 0 && lines.delete(key);
    const line = lines.get(key) ?? new Line((inputs) => run(inputs, key), options, onIdle);
    lines.set(key, line);
    return line;
  };
  return (input, { key = "", signal } = {}) =>
    new Promise((resolve, reject) => lineOf(key).add({ input, signal, resolve, reject }));
}

/** The callers of one key. */
class Line<In, Out> {
  #waiting: Caller<In, Out>[] = [];
  #running = 0;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  /** Ends the wait of each batch that keeps apart from the last. */
  readonly #resting = new Set<() => void>();

  constructor(
    private readonly run: (inputs: In[]) => Promise<Out[]>,
    private readonly options: Required<BatcherOptions<In>>,
    private readonly onIdle: () => void,
  ) {}

  add(caller: Caller<In, Out>): void {
    this.#waiting.push(caller);
    const [wake] = this.#resting;
    if (this.#running < this.options.atOnce) void this.#drain();
    else if (wake && this.#next().isFull) wake();
  }

  async #drain(): Promise<void> {
    this.#running += 1;
    while (this.#waiting.length > 0) {
      const restMs = this.#beganAtMs + this.options.apartMs - performance.now();
      if (restMs > 0 && !this.#next().isFull) {
        await this.#rest(restMs);
        continue;
      }
      this.#beganAtMs = performance.now();
      await this.#runBatch();
    }
    this.#running -= 1;
    if (this.#running === 0) this.onIdle();
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#resting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#resting.add(end);
    });
  }

  async #runBatch(): Promise<void> {
    const batch = this.#takeBatch();
    if (batch.length === 0) return;
    try {
      await this.#runFor(batch);
    } catch (error) {
      const whom = this.options.failureOf(error);
      if (whom === "alone" && batch.length > 1) {
        await Promise.all(batch.map((caller) => this.#runFor([caller]).catch(caller.reject)));
        return;
      }
      const failed = whom === "all" ? [...batch, ...this.#waiting.splice(0)] : batch;
      for (const { reject } of failed) reject(error);
    }
  }

  #takeBatch(): Caller<In, Out>[] {
    const isHere = ({ signal, reject }: Caller<In, Out>) => {
      if (signal?.aborted) reject(signal.reason);
      return !signal?.aborted;
    };
    this.#waiting = this.#waiting.filter(isHere);
    return this.#waiting.splice(0, this.#next().count);
  }

  /** Returns the size of the next batch, and whether it is full. */
  #next(): { count: number; isFull: boolean } {
    let size = 0;
    for (const [count, { input }] of this.#waiting.entries()) {
      const larger = size + this.options.sizeOf(input);
      if (count > 0 && larger > this.options.most) return { count, isFull: true };
      size = larger;
    }
    return { count: this.#waiting.length, isFull: size >= this.options.most };
  }

  async #runFor(callers: Caller<In, Out>[]): Promise<void> {
    const outputs = await this.run(callers.map(({ input }) => input));
    if (outputs.length !== callers.length)
      throw new Error("A batch returned more or fewer outputs than it had inputs.");
    for (const [index, { resolve }] of callers.entries()) resolve(outputs[index] as Out);
  }
}
