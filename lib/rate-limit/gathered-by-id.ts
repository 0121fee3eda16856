import { answeredBy, patienceMs } from "@/db/client";

/** A flood is answered in parts of this many. */
const MOST_AT_ONCE = 500;

type Waiting<In, Out> = { input: In; resolve: (out: Out) => void; reject: (error: unknown) => void };

/**
 * Runs `runAll` for all callers of one id that come together, one run of an id at a time, so that a burst of one id costs
 * few runs and not hundreds. It returns an output for each input, in their order. Rejects with DatabaseUnavailable where
 * there is none in a caller's time, the wait for others included.
 */
export const gatheredById = <In, Out>(runAll: (id: string, inputs: In[]) => Promise<Out[]>) => {
  const waiting = new Map<string, Set<Waiting<In, Out>>>();

  const drain = async (id: string, line: Set<Waiting<In, Out>>) => {
    while (line.size > 0) {
      const batch = [...line].slice(0, MOST_AT_ONCE);
      for (const caller of batch) line.delete(caller);
      try {
        const outs = await runAll(
          id,
          batch.map(({ input }) => input),
        );
        if (outs.length !== batch.length) throw new Error("every input has its output");
        for (const [index, out] of outs.entries()) batch[index]?.resolve(out);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    waiting.delete(id);
  };

  return (id: string, input: In, { byMs }: { byMs: number }): Promise<Out> => {
    let leave = () => {};
    const out = new Promise<Out>((resolve, reject) => {
      const caller = { input, resolve, reject };
      const line = waiting.get(id);
      // Who gave up before its turn is not run for.
      leave = () => void waiting.get(id)?.delete(caller);
      if (line) return void line.add(caller);
      const first = new Set([caller]);
      waiting.set(id, first);
      void drain(id, first);
    });
    return answeredBy(Math.min(byMs, performance.now() + patienceMs()), out).finally(leave);
  };
};
