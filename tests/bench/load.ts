import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Target } from "./scenarios";

/** Calls `first` up to `first + count` of a scenario, until they are all made or so many seconds are over. */
export type Order = {
  scenario: string;
  target: Target;
  first: number;
  count: number;
  connections: number;
  seconds?: number;
  /** Calls a second, at even distances; without it each connection calls as fast as it is answered. */
  rate?: number;
  /** Of each response, where it is not the scenario's own. */
  status?: number;
};

/** `times` in milliseconds; `cores` is what the generator itself used. */
export type Load = { times: number[]; seconds: number; cores: number };

type Answer = { load?: Load; error?: string };

/** The load generator: `prepare` makes the calls of an order ready, `go` sends them. */
export const startLoadGenerator = () => {
  const child = fork(path.join(import.meta.dirname, "load-generator.ts"), { serialization: "advanced" });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the load generator ended with ${code}`);
  });
  // The call that waits for a response reports it.
  ended.catch(() => {});
  const ask = async (message: Order | "go"): Promise<Load | undefined> => {
    child.send(message);
    const [answer]: Answer[] = await Promise.race([once(child, "message"), ended]);
    if (answer?.error !== undefined) throw new Error(answer.error);
    return answer?.load;
  };
  return {
    prepare: async (order: Order): Promise<void> => {
      await ask(order);
    },
    go: async (): Promise<Load> => {
      const load = await ask("go");
      if (!load) throw new Error("no order is prepared");
      return load;
    },
    stop: () => child.disconnect(),
  };
};

export type LoadGenerator = ReturnType<typeof startLoadGenerator>;
