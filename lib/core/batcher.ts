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
/** `resting`: ends the wait of each batch that keeps apart from the last. */
type Line<In, Out> = {
  waiting: Caller<In, Out>[];
  running: number;
  beganAtMs: number;
  resting: Set<() => void>;
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

  /** Returns the size of the next batch, and whether it is full. */
  const nextOf = ({ waiting }: Line<In, Out>): { count: number; isFull: boolean } => {
    let size = 0;
    for (const [count, { input }] of waiting.entries()) {
      const larger = size + sizeOf(input);
      if (count > 0 && larger > most) return { count, isFull: true };
      size = larger;
    }
    return { count: waiting.length, isFull: size >= most };
  };

  const takeBatch = (line: Line<In, Out>): Caller<In, Out>[] => {
    const isHere = ({ signal, reject }: Caller<In, Out>) => {
      if (signal?.aborted) reject(signal.reason);
      return !signal?.aborted;
    };
    line.waiting = line.waiting.filter(isHere);
    return line.waiting.splice(0, nextOf(line).count);
  };

  const runFor = async (callers: Caller<In, Out>[], key: string): Promise<void> => {
    const inputs = callers.map(({ input }) => input);
    const outputs = await run(inputs, key);
    if (outputs.length !== inputs.length) throw new Error("A batch returned more or fewer outputs than it had inputs.");
    for (const [index, { resolve }] of callers.entries()) resolve(outputs[index] as Out);
  };

  const runBatch = async (line: Line<In, Out>, key: string): Promise<void> => {
    const batch = takeBatch(line);
    if (batch.length === 0) return;
    try {
      await runFor(batch, key);
    } catch (error) {
      const whom = failureOf(error);
      if (whom === "alone" && batch.length > 1) {
        await Promise.all(batch.map((caller) => runFor([caller], key).catch(caller.reject)));
        return;
      }
      const failed = whom === "all" ? [...batch, ...line.waiting.splice(0)] : batch;
      for (const { reject } of failed) reject(error);
    }
  };

  const rest = ({ resting }: Line<In, Out>, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        resting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      resting.add(end);
    });

  const drain = async (line: Line<In, Out>, key: string): Promise<void> => {
    line.running += 1;
    while (line.waiting.length > 0) {
      const restMs = line.beganAtMs + apartMs - performance.now();
      if (restMs > 0 && !nextOf(line).isFull) {
        await rest(line, restMs);
        continue;
      }
      line.beganAtMs = performance.now();
      await runBatch(line, key);
    }
    line.running -= 1;
    // Idle keys are removed, except with `apartMs`: there are few then, and the last start must be remembered.
    if (line.running === 0 && apartMs === 0) lines.delete(key);
  };

  return (input, { key = "", signal } = {}) =>
    new Promise((resolve, reject) => {
      const line = lines.get(key) ?? {
        waiting: [],
        running: 0,
        beganAtMs: Number.NEGATIVE_INFINITY,
        resting: new Set(),
      };
      lines.set(key, line);
      line.waiting.push({ input, signal, resolve, reject });
      const [wake] = line.resting;
      if (line.running < atOnce) void drain(line, key);
      else if (wake && nextOf(line).isFull) wake();
    });
}
