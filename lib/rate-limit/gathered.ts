/** A flood is answered in parts of this many. */
const MOST_AT_ONCE = 500;

type Asked<In, Out> = { input: In; resolve: (out: Out) => void; reject: (error: unknown) => void };

/**
 * Runs `runAll` for many callers, one run at a time: those who ask in the middle of a run share the next one. However
 * many ask, they use one connection. `runAll` returns what an input comes to.
 */
export const gathered = <In, Out>(runAll: (inputs: In[]) => Promise<(input: In) => Out>) => {
  const waiting: Asked<In, Out>[] = [];
  let isRunning = false;

  const drain = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, MOST_AT_ONCE);
      try {
        const outOf = await runAll(group.map(({ input }) => input));
        for (const { input, resolve } of group) resolve(outOf(input));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isRunning = false;
  };

  return (input: In): Promise<Out> =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (!isRunning) void drain();
    });
};
