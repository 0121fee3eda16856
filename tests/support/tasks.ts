import { tableOf } from "./table";

/** One action is one thing that a hand does: a click, a paste, a field that is filled, a key that opens something. */
export type Task = {
  act: <T>(work: () => Promise<T>) => Promise<T>;
  actions: () => number;
  seconds: () => number;
  /** The person has what they came for. */
  done: () => void;
};

type Finished = { name: string; target: string; actions: number; seconds: number };

/** The stopwatch beside the tasks of a test file. The times are the machine's: a person reads in between. */
export const taskClock = () => {
  const finished: Finished[] = [];
  return {
    start: (name: string, target: string): Task => {
      const startedAtMs = performance.now();
      const seconds = () => (performance.now() - startedAtMs) / 1_000;
      let actions = 0;
      return {
        act: (work) => {
          actions += 1;
          return work();
        },
        actions: () => actions,
        seconds,
        done: () => finished.push({ name, target, actions, seconds: seconds() }),
      };
    },
    table: () =>
      tableOf(
        ["Task", "target", "actions", "seconds"],
        finished.map(({ name, target, actions, seconds }) => [name, target, `${actions}`, seconds.toFixed(1)]),
      ),
  };
};
